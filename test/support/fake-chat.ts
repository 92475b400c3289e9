// A fake provider of chat completions, like Ollama and vLLM.
import type { ServerResponse } from "node:http";
import type { EchoedTool, EchoedToolChoice } from "../../src/contract/tools.ts";
import type { TextFormat } from "../../src/contract/settings.ts";
import type { Prompt, PromptItem } from "../../src/core/response/prompt.ts";
import { isJsonObject, parseJson } from "../../src/base/json.ts";
import type { FailStep } from "../../src/providers/simulated/steps.ts";
import { type FakeRequest, type Wire } from "./fake-provider.ts";
import { type CountedUsage, type Ending, FakeStream, type ApiError } from "./fake-stream.ts";
import type { Loose } from "./http-client.ts";

export const CHAT_WIRE: Wire = {
  basePath: "/v1",
  check({ url, body }) {
    if (url !== "/v1/chat/completions") return apiErrorOf(404, "no such path", "not_found_error");
    const message = findMisfit(body.messages) ?? findUnsupported(body);
    return message === null ? null : apiErrorOf(400, message, "BadRequestError");
  },
  read: ({ body }) => ({
    modelId: String(body.model),
    prompt: readPrompt(body),
    tokensMax: body.max_tokens ?? body.max_completion_tokens ?? null,
  }),
  respond: (request, response) => new ChatStream(request, response),
};

function apiErrorOf(status: number, message: string, type: string): ApiError {
  return { status, message, body: { error: { message, type, code: null } } };
}

/**
 * Requests that chat templates reject: Qwen's rejects a later system message, nearly all reject arguments that are not
 * an object.
 */
function findMisfit(messages: readonly Loose[]): string | null {
  if (messages.some(({ role }, index) => role === "system" && index > 0)) {
    return "System message must be at the beginning.";
  }
  for (const { tool_calls: calls } of messages) {
    for (const { function: called } of calls ?? []) {
      if (!isJsonObject(parseJson(called.arguments))) return "Failed to parse tool call arguments as JSON";
    }
  }
  return null;
}

/** Fields that the servers of some models reject: OpenAI's of its reasoning models, others of models without reasoning. */
function findUnsupported({ model, messages, max_tokens: limit }: Loose): string | null {
  if (/^gpt-[5-9]/.test(model) && limit !== undefined) {
    return "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
  }
  const at = messages.findIndex(({ reasoning_content: reasoning }: Loose) => reasoning !== undefined);
  const isRejected = /-instruct-|^strict\//.test(model) && at !== -1;
  return isRejected ? `'messages.${at}' : property 'reasoning_content' is unsupported` : null;
}

const FINISH_REASONS: Readonly<Record<Ending, string>> = {
  ended: "stop",
  called: "tool_calls",
  max_output_tokens: "length",
  content_filter: "content_filter",
  refusal: "content_filter",
};

const FAILED = "The fake model was told to fail.";

class ChatStream extends FakeStream {
  readonly #model: string;
  #calls = 0;

  constructor({ body, number }: FakeRequest, response: ServerResponse) {
    super(response, number);
    this.#model = body.model;
  }

  protected override open(): void {
    this.#chunk({ role: "assistant", content: "" });
  }

  protected override text(content: string): void {
    this.#chunk({ content });
  }

  protected override refuse(text: string): Ending | null {
    // Without text, only the finish reason shows the refusal.
    if (text === "") return "refusal";
    this.putOut(text, (refusal) => this.#chunk({ refusal }));
    return null;
  }

  protected override think(reasoning: string): void {
    this.#chunk({ reasoning });
  }

  protected override call(id: string, name: string, deltas: Iterable<string>): void {
    const index = this.#calls++;
    this.#chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] });
    for (const delta of deltas) {
      this.putOut(delta, (piece) => this.#chunk({ tool_calls: [{ index, function: { arguments: piece } }] }));
    }
  }

  protected override cite(): void {
    // This wire cannot express it.
  }

  protected override finish(ending: Ending, usage: CountedUsage): void {
    this.#chunk({}, FINISH_REASONS[ending]);
    this.#send({
      choices: [],
      usage: {
        prompt_tokens: usage.input,
        completion_tokens: usage.output,
        total_tokens: usage.input + usage.output,
        prompt_tokens_details: { cached_tokens: usage.cached },
        completion_tokens_details: { reasoning_tokens: usage.reasoning },
      },
    });
    this.write("data: [DONE]\n\n");
  }

  protected override errorOf({ code }: FailStep): { status: number | null; body: object } {
    const { status, type } = ERRORS[code] ?? UNKNOWN_ERROR;
    return { status, body: { error: { message: FAILED, type, code: null } } };
  }

  protected override breakOff({ code }: FailStep): void {
    const { type } = ERRORS[code] ?? UNKNOWN_ERROR;
    this.#send({ error: { message: FAILED, type, code: type } });
  }

  #chunk(delta: object, finishReason: string | null = null): void {
    this.#send({ choices: [{ index: 0, delta, finish_reason: finishReason }] });
  }

  #send(chunk: object): void {
    const head = { id: `chatcmpl-${this.number}`, object: "chat.completion.chunk", created: 1, model: this.#model };
    this.write(`data: ${JSON.stringify({ ...head, ...chunk })}\n\n`);
  }
}

const UNKNOWN_ERROR = { status: 500, type: "server_error" };

/** Each failure on this wire; null: the connection is cut. */
const ERRORS: Readonly<Partial<Record<FailStep["code"], { status: number | null; type: string }>>> = {
  provider_client_error: { status: 400, type: "invalid_request_error" },
  provider_error: { status: 200, type: "unheard_of" },
  provider_overloaded: { status: 529, type: "overloaded_error" },
  provider_rate_limited: { status: 429, type: "rate_limit_error" },
  provider_unavailable: { status: null, type: "server_error" },
  end_user_blocked: { status: 403, type: "user_blocked" },
};

/** The prompt as a model behind this wire sees it. */
function readPrompt(body: Loose): Prompt {
  const items: PromptItem[] = [];
  let instructions: string | null = null;
  for (const message of body.messages) {
    const text = String(message.content ?? "");
    if (message.role === "system" && items.length === 0 && instructions === null) instructions = text;
    else if (message.role === "tool") {
      items.push({ type: "result", callId: message.tool_call_id, name: null, output: text });
    } else if (message.role === "assistant") {
      if (text !== "") items.push({ type: "assistant", text, isRefusal: false, phase: null });
      for (const { id, function: called } of message.tool_calls ?? []) {
        items.push({ type: "call", callId: id, name: called.name, arguments: called.arguments });
      }
    } else items.push({ type: "message", role: message.role, text });
  }
  const tools: EchoedTool[] = (body.tools ?? []).map(({ function: tool }: Loose) => ({
    type: "function",
    name: tool.name,
    description: tool.description ?? null,
    parameters: tool.parameters ?? null,
    strict: tool.strict ?? null,
  }));
  return {
    instructions,
    items,
    tools,
    toolChoice: readToolChoice(body.tool_choice),
    parallelToolCalls: body.parallel_tool_calls ?? null,
    temperature: body.temperature ?? null,
    topP: body.top_p ?? null,
    presencePenalty: body.presence_penalty ?? null,
    frequencyPenalty: body.frequency_penalty ?? null,
    format: readFormat(body.response_format),
    verbosity: body.verbosity ?? null,
    maxOutputTokens: body.max_tokens ?? 100_000,
    otherCallIds: [],
    maxOutputTokensSet: body.max_tokens !== undefined,
    endUserHash: body.user ?? null,
  };
}

function readToolChoice(choice: Loose): EchoedToolChoice {
  return typeof choice === "object" ? { type: "function", name: choice.function.name } : (choice ?? "auto");
}

function readFormat(format: Loose): TextFormat | null {
  return format === undefined ? null : { type: "json_schema", ...format.json_schema };
}
