// The Messages API as a fake provider: strict as the real one.
import type { ServerResponse } from "node:http";
import type { EchoedTool, EchoedToolChoice } from "../../src/contract/tools.ts";
import type { Prompt, PromptItem } from "../../src/core/response/prompt.ts";
import type { FailStep, Step } from "../../src/providers/simulated/steps.ts";
import { type FakeRequest, type Wire } from "./fake-provider.ts";
import { type CountedUsage, type Ending, FakeStream } from "./fake-stream.ts";
import type { Loose } from "./http-client.ts";
import { checkRequest, signThought } from "./messages-rules.ts";

/** The key that it accepts. */
export const MESSAGES_KEY = "sk-ant-fake";

export const MESSAGES_WIRE: Wire = {
  basePath: "",
  check({ url, headers, body, number }) {
    const error =
      url === "/v1/messages"
        ? checkRequest(headers, body, MESSAGES_KEY).error
        : { status: 404, type: "not_found_error", message: "Not found" };
    if (error === null) return null;
    const { status, type, message } = error;
    return { status, message, body: errorBody(number, type, message), headers: { "request-id": requestIdOf(number) } };
  },
  read: ({ body }) => ({ modelId: String(body.model), prompt: readPrompt(body), tokensMax: body.max_tokens }),
  respond: (request, response) => new MessagesStream(request, response),
};

const STOP_REASONS: Readonly<Record<Ending, string>> = {
  ended: "end_turn",
  called: "tool_use",
  max_output_tokens: "max_tokens",
  content_filter: "refusal",
  refusal: "refusal",
};

const FAILED = "The fake model was told to fail.";

function requestIdOf(number: number): string {
  return `req_fake_${number}`;
}

function errorBody(number: number, type: string, message: string): object {
  return { type: "error", error: { type, message }, request_id: requestIdOf(number) };
}

class MessagesStream extends FakeStream {
  protected override readonly requestIdHeader = "request-id";
  readonly #request: FakeRequest;
  #inputTokens = 0;
  #blocks = 0;
  #openType: string | null = null;

  constructor(request: FakeRequest, response: ServerResponse) {
    super(response, request.number);
    this.#request = request;
  }

  override play(steps: readonly Step[], tokensMax: number | null, prompt: Prompt): Promise<boolean> {
    this.#inputTokens = Math.ceil(JSON.stringify(prompt.items).length / 4);
    const refuses = holdsRefusal(this.#request.body);
    return super.play(refuses ? [{ do: "refuse", text: "" }] : steps, tokensMax, prompt);
  }

  protected override open(): void {
    const { headers, body } = this.#request;
    const dropped = checkRequest(headers, body, MESSAGES_KEY).droppedThinking.map((path) => ({
      type: "thinking_dropped",
      path,
      reason: "prefix_binding_mismatch",
    }));
    const message = {
      id: `msg_fake_${this.number}`,
      type: "message",
      role: "assistant",
      model: body.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      usage: { input_tokens: this.#inputTokens, output_tokens: 1 },
      input_transformations: dropped,
    };
    this.#event({ type: "message_start", message });
    this.#event({ type: "ping" });
  }

  protected override text(text: string): void {
    if (this.#openType !== "text") this.#openBlock("text", { text: "" });
    this.#delta({ type: "text_delta", text });
  }

  /** The words come as text; then the stop reason shows the refusal. */
  protected override refuse(text: string): Ending {
    if (text !== "") this.putOut(text, (kept) => this.text(kept));
    return "refusal";
  }

  protected override think(thinking: string): void {
    const { body } = this.#request;
    this.#openBlock("thinking", { thinking: "", signature: "" });
    this.#delta({ type: "thinking_delta", thinking });
    this.#delta({ type: "signature_delta", signature: signThought(body, body.messages, thinking) });
    this.#closeBlock();
  }

  protected override call(id: string, name: string, deltas: Iterable<string>): void {
    this.#openBlock("tool_use", { id: id.replace("call_", "toolu_"), name, input: {}, caller: { type: "direct" } });
    this.#delta({ type: "input_json_delta", partial_json: "" });
    for (const delta of deltas) {
      this.putOut(delta, (piece) => this.#delta({ type: "input_json_delta", partial_json: piece }));
    }
    this.#closeBlock();
  }

  protected override cite(): void {
    // This wire cannot express it.
  }

  protected override finish(ending: Ending, usage: CountedUsage): void {
    this.#closeBlock();
    const stopReason = STOP_REASONS[ending];
    const details = { type: "refusal", category: null, explanation: "An unstable sentence." };
    this.#event({
      type: "message_delta",
      delta: {
        stop_reason: stopReason,
        stop_sequence: null,
        stop_details: stopReason === "refusal" ? details : null,
      },
      usage: {
        input_tokens: usage.input - usage.cached - usage.written,
        cache_creation_input_tokens: usage.written,
        cache_read_input_tokens: usage.cached,
        output_tokens: usage.output,
        output_tokens_details: { thinking_tokens: usage.reasoning },
      },
    });
    this.#event({ type: "message_stop" });
  }

  protected override errorOf({ code }: FailStep): { status: number | null; body: object } {
    const { status, type } = ERRORS[code] ?? UNKNOWN_ERROR;
    return { status, body: errorBody(this.number, type, FAILED) };
  }

  protected override breakOff({ code }: FailStep): void {
    const { type } = ERRORS[code] ?? UNKNOWN_ERROR;
    this.#event({ type: "error", error: { type, message: FAILED } });
  }

  #openBlock(type: string, block: object): void {
    this.#closeBlock();
    this.#openType = type;
    this.#event({ type: "content_block_start", index: this.#blocks, content_block: { type, ...block } });
  }

  #closeBlock(): void {
    if (this.#openType === null) return;
    this.#openType = null;
    this.#event({ type: "content_block_stop", index: this.#blocks++ });
  }

  #delta(delta: object): void {
    this.#event({ type: "content_block_delta", index: this.#blocks, delta });
  }

  #event(event: { readonly type: string; readonly [key: string]: unknown }): void {
    this.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }
}

const UNKNOWN_ERROR = { status: 500, type: "api_error" };

/** Each failure on this wire; null: the connection is cut. */
const ERRORS: Readonly<Partial<Record<FailStep["code"], { status: number | null; type: string }>>> = {
  provider_client_error: { status: 400, type: "invalid_request_error" },
  provider_error: { status: 200, type: "unheard_of" },
  provider_overloaded: { status: 529, type: "overloaded_error" },
  provider_rate_limited: { status: 429, type: "rate_limit_error" },
  provider_unavailable: { status: null, type: "api_error" },
};

/** Whether the messages hold an exchange that ended in a refusal: the real API then refuses again. */
function holdsRefusal({ messages }: Loose): boolean {
  const newest = messages.findLastIndex(({ role, content }: Loose) => role === "user" && content.some(isText));
  return messages
    .slice(0, newest)
    .some(
      ({ role, content }: Loose) => role === "user" && content.some((block: Loose) => /^\/refuse/m.test(textOf(block))),
    );
}

function isText(block: Loose): boolean {
  return block.type === "text";
}

function textOf(block: Loose): string {
  return String(block?.text ?? block?.content ?? "");
}

/** The prompt as a model behind this wire sees it. */
function readPrompt(body: Loose): Prompt {
  const items: PromptItem[] = [];
  for (const { role, content } of body.messages) {
    if (role === "system") {
      items.push({ type: "message", role, text: content });
      continue;
    }
    for (const block of content) {
      if (block.type === "tool_result") {
        items.push({ type: "result", callId: block.tool_use_id, name: null, output: textOf(block) });
      } else if (block.type === "tool_use") {
        items.push({ type: "call", callId: block.id, name: block.name, arguments: JSON.stringify(block.input) });
      } else if (isText(block) && role === "user") items.push({ type: "message", role, text: block.text });
      else if (isText(block)) items.push({ type: "assistant", text: block.text, isRefusal: false, phase: null });
    }
  }
  const tools: EchoedTool[] = (body.tools ?? []).map((tool: Loose) => ({
    type: "function",
    name: tool.name,
    description: tool.description ?? null,
    parameters: tool.input_schema,
    strict: tool.strict ?? null,
  }));
  const format = body.output_config?.format;
  return {
    instructions: body.system?.[0]?.text ?? null,
    items,
    tools,
    toolChoice: readToolChoice(body.tool_choice),
    parallelToolCalls: body.tool_choice?.disable_parallel_tool_use === true ? false : null,
    temperature: null,
    topP: null,
    presencePenalty: null,
    frequencyPenalty: null,
    format: format === undefined ? null : { type: "json_schema", schema: format.schema },
    verbosity: null,
    maxOutputTokens: body.max_tokens,
    otherCallIds: [],
    maxOutputTokensSet: true,
    endUserHash: body.metadata?.user_id ?? null,
  };
}

function readToolChoice(choice: Loose): EchoedToolChoice {
  switch (choice?.type) {
    case "none":
      return "none";
    case "any":
      return "required";
    case "tool":
      return { type: "function", name: choice.name };
    default:
      return "auto";
  }
}
