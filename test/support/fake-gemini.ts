// Gemini's generateContent as a fake provider: strict as the real one, thought signatures included.
import type { ServerResponse } from "node:http";
import type { EchoedTool, EchoedToolChoice } from "../../src/contract/tools.ts";
import type { Prompt, PromptItem } from "../../src/core/response/prompt.ts";
import type { FailStep } from "../../src/providers/simulated/steps.ts";
import { type FakeRequest, type Wire } from "./fake-provider.ts";
import { type CountedUsage, type Ending, FakeStream, type ApiError } from "./fake-stream.ts";
import { checkBody, signPart } from "./gemini-rules.ts";
import type { Loose } from "./http-client.ts";

/** The key that it accepts. */
export const GEMINI_KEY = "AIza-fake-gemini";

const PATH = /^\/v1beta\/models\/([^/:]+):streamGenerateContent\?alt=sse$/;

export const GEMINI_WIRE: Wire = {
  basePath: "",
  check({ url, headers, body }) {
    if (!PATH.test(url)) return apiErrorOf(404, "NOT_FOUND", "models/x is not found");
    if (headers["x-goog-api-key"] !== GEMINI_KEY) {
      const details = [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }];
      return apiErrorOf(400, "INVALID_ARGUMENT", "API key not valid.", details);
    }
    const message = checkBody(modelOf(url), body);
    return message === null ? null : apiErrorOf(400, "INVALID_ARGUMENT", message);
  },
  read: ({ url, body }) => ({
    modelId: modelOf(url),
    prompt: readPrompt(body),
    tokensMax: body.generationConfig?.maxOutputTokens ?? null,
  }),
  respond: (request, response) => new GeminiStream(request, response),
};

const modelOf = (url: string) => PATH.exec(url)?.[1] ?? "";

function apiErrorOf(status: number, word: string, message: string, details: readonly object[] = []): ApiError {
  return { status, message, body: { error: { code: status, message, status: word, details } } };
}

class GeminiStream extends FakeStream {
  readonly #model: string;
  #isSigned = false;

  constructor({ url, number }: FakeRequest, response: ServerResponse) {
    super(response, number);
    this.#model = modelOf(url);
  }

  protected override open(): void {
    // The first chunk has the first text.
  }

  protected override text(text: string): void {
    this.#chunk({ content: { role: "model", parts: [{ text }] } });
  }

  protected override refuse(): Ending {
    // Gemini sends no text of a refusal.
    return "refusal";
  }

  protected override think(text: string): void {
    this.#chunk({ content: { role: "model", parts: [{ text, thought: true }] } });
  }

  protected override call(id: string, name: string, deltas: Iterable<string>): void {
    const text = [...deltas].join("");
    let args: unknown;
    try {
      args = JSON.parse(text);
    } catch {
      this.finish("broken");
      return;
    }
    // Calls are sent whole or not at all.
    this.putOut(text, () => {});
    // The first call of a round has the signature.
    const signature = this.#isSigned ? {} : { thoughtSignature: signPart(this.#model) };
    this.#isSigned = true;
    this.#chunk({ content: { role: "model", parts: [{ functionCall: { id, name, args }, ...signature }] } });
  }

  protected override cite(): void {
    // This wire cannot express it.
  }

  protected override finish(ending: Ending | "broken", usage?: CountedUsage): void {
    const content = { role: "model", parts: [{ text: "" }] };
    const counts =
      usage === undefined
        ? {}
        : {
            usageMetadata: {
              promptTokenCount: usage.input,
              cachedContentTokenCount: usage.cached,
              candidatesTokenCount: Math.max(0, usage.output - usage.reasoning),
              thoughtsTokenCount: usage.reasoning,
              totalTokenCount: usage.input + usage.output,
            },
          };
    this.#chunk({ content, finishReason: FINISH_REASONS[ending] }, counts);
  }

  protected override errorOf({ code }: FailStep): { status: number | null; body: object } {
    const { status, word } = ERRORS[code];
    return { status, body: { error: { code: status, message: FAILED, status: word } } };
  }

  protected override breakOff({ code }: FailStep): void {
    // Not an error, but an unusable output.
    if (code === "provider_error") return this.finish("broken");
    const { status, word } = ERRORS[code];
    this.write(`data: ${JSON.stringify({ error: { code: status ?? 500, message: FAILED, status: word } })}\r\n\r\n`);
  }

  #chunk(candidate: object, more: object = {}): void {
    const chunk = {
      candidates: [{ ...candidate, index: 0 }],
      ...more,
      modelVersion: this.#model,
      responseId: `gemini-${this.number}`,
    };
    this.write(`data: ${JSON.stringify(chunk)}\r\n\r\n`);
  }
}

const FAILED = "The fake model was told to fail.";

const FINISH_REASONS: Readonly<Record<Ending | "broken", string>> = {
  ended: "STOP",
  called: "STOP",
  max_output_tokens: "MAX_TOKENS",
  content_filter: "SAFETY",
  refusal: "SAFETY",
  broken: "MALFORMED_FUNCTION_CALL",
};

/** Each failure on this wire; null: the connection is cut. */
const ERRORS: Readonly<Record<FailStep["code"], { status: number | null; word: string }>> = {
  provider_client_error: { status: 400, word: "INVALID_ARGUMENT" },
  provider_error: { status: 200, word: "" },
  provider_overloaded: { status: 503, word: "UNAVAILABLE" },
  provider_rate_limited: { status: 429, word: "RESOURCE_EXHAUSTED" },
  provider_unavailable: { status: null, word: "INTERNAL" },
  end_user_blocked: { status: 403, word: "PERMISSION_DENIED" },
  canceled: { status: 499, word: "CANCELLED" },
};

/** The prompt as a model behind this wire sees it. */
function readPrompt(body: Loose): Prompt {
  const { generationConfig: settings = {} } = body;
  const tools: EchoedTool[] = (body.tools?.[0]?.functionDeclarations ?? []).map((tool: Loose) => ({
    type: "function",
    name: tool.name,
    description: tool.description ?? null,
    parameters: tool.parametersJsonSchema ?? null,
    strict: null,
  }));
  const system = (body.systemInstruction?.parts ?? []).map(({ text }: Loose) => text);
  const schema = settings.responseJsonSchema;
  return {
    instructions: system.length === 0 ? null : system.join("\n"),
    items: body.contents.flatMap(({ role, parts }: Loose) => readParts(role, parts)),
    tools,
    toolChoice: readToolChoice(body.toolConfig?.functionCallingConfig),
    parallelToolCalls: null,
    temperature: settings.temperature ?? null,
    topP: settings.topP ?? null,
    presencePenalty: settings.presencePenalty ?? null,
    frequencyPenalty: settings.frequencyPenalty ?? null,
    format: schema === undefined ? null : { type: "json_schema", schema },
    verbosity: null,
    maxOutputTokens: settings.maxOutputTokens ?? 100_000,
    otherCallIds: [],
    maxOutputTokensSet: settings.maxOutputTokens !== undefined,
    endUserHash: null,
  };
}

/** Neighbouring texts of the model are one: it may split them anywhere. */
function readParts(role: string, parts: Loose[]): PromptItem[] {
  const items: PromptItem[] = [];
  let text = "";
  const close = () => {
    if (text !== "") items.push({ type: "assistant", text, isRefusal: false, phase: null });
    text = "";
  };
  for (const part of parts) {
    if (part.functionCall !== undefined) {
      close();
      const { id, name, args } = part.functionCall;
      items.push({ type: "call", callId: id, name, arguments: JSON.stringify(args) });
    } else if (part.functionResponse !== undefined) {
      close();
      const { id, name, response } = part.functionResponse;
      items.push({ type: "result", callId: id, name, output: response.output });
    } else if (role === "user") items.push({ type: "message", role, text: part.text });
    else if (part.thought !== true) text += part.text;
  }
  close();
  return items;
}

function readToolChoice(config: Loose): EchoedToolChoice {
  if (config?.mode === "NONE") return "none";
  if (config?.mode !== "ANY") return "auto";
  const names: string[] | undefined = config.allowedFunctionNames;
  if (names === undefined) return "required";
  return { type: "allowed_tools", mode: "required", tools: names.map((name) => ({ name })) };
}
