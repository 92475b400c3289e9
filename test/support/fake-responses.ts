// OpenAI's Responses API as a fake provider: strict as the real one.
import type { ServerResponse } from "node:http";
import type { Prompt, PromptItem } from "../../src/core/response/prompt.ts";
import type { FailStep } from "../../src/providers/simulated/steps.ts";
import { type FakeRequest, type Wire } from "./fake-provider.ts";
import { type CountedUsage, type Ending, FakeStream, type ApiError } from "./fake-stream.ts";
import type { Loose } from "./http-client.ts";
import { checkBody, sealThought } from "./responses-rules.ts";

/** The key that it accepts. */
export const RESPONSES_KEY = "sk-fake-openai";

export const RESPONSES_WIRE: Wire = {
  basePath: "/v1",
  check({ url, headers, body }) {
    if (url !== "/v1/responses") return apiErrorOf(404, "Invalid URL", "invalid_request_error", null);
    if (headers.authorization !== `Bearer ${RESPONSES_KEY}`) {
      return apiErrorOf(401, "Incorrect API key provided: sk-***.", "invalid_request_error", "invalid_api_key");
    }
    const message = checkBody(body);
    return message === null ? null : apiErrorOf(400, message, "invalid_request_error", null);
  },
  read: ({ body }) => ({
    modelId: String(body.model),
    prompt: readPrompt(body),
    tokensMax: body.max_output_tokens ?? null,
  }),
  respond: (request, response) => new ResponsesStream(request, response),
};

function apiErrorOf(status: number, message: string, type: string, code: string | null): ApiError {
  return { status, message, body: { error: { message, type, param: null, code } } };
}

class ResponsesStream extends FakeStream {
  readonly #body: Loose;
  readonly #output: Loose[] = [];
  #sequence = 0;
  #message: Loose = null;

  constructor({ body, number }: FakeRequest, response: ServerResponse) {
    super(response, number);
    this.#body = body;
  }

  protected override open(): void {
    this.#event("response.created", { response: this.#response("in_progress") });
    this.#event("response.in_progress", { response: this.#response("in_progress") });
  }

  protected override text(text: string): void {
    const part = this.#part("output_text", { text: "", annotations: [], logprobs: [] });
    part.text += text;
    this.#event("response.output_text.delta", { ...this.#place(), delta: text, logprobs: [], obfuscation: "x" });
  }

  protected override refuse(text: string): Ending | null {
    const part = this.#part("refusal", { refusal: "" });
    part.refusal = text;
    if (text !== "") this.#event("response.refusal.delta", { ...this.#place(), delta: text });
    return null;
  }

  protected override think(text: string): void {
    this.#closeMessage();
    const item = { id: `rs_${this.number}_${this.#output.length}`, type: "reasoning", summary: [] };
    const output_index = this.#output.length;
    this.#event("response.output_item.added", { output_index, item });
    this.putOut("", () => {});
    const encrypted_content = sealThought(this.#body.model, text);
    this.#done({ ...item, summary: [{ type: "summary_text", text }], encrypted_content });
  }

  protected override call(id: string, name: string, deltas: Iterable<string>): void {
    this.#closeMessage();
    const output_index = this.#output.length;
    const item = { id: `fc_${id}`, type: "function_call", status: "in_progress", call_id: id, name, arguments: "" };
    this.#event("response.output_item.added", { output_index, item: { ...item } });
    try {
      for (const delta of deltas) {
        this.putOut(delta, (kept) => {
          item.arguments += kept;
          this.#event("response.function_call_arguments.delta", { item_id: item.id, output_index, delta: kept });
        });
      }
    } catch (error) {
      this.#done({ ...item, status: "incomplete" });
      throw error;
    }
    const { arguments: whole } = item;
    this.#event("response.function_call_arguments.done", { item_id: item.id, output_index, arguments: whole });
    this.#done({ ...item, status: "completed" });
  }

  protected override cite(url: string, title: string): void {
    const part = this.#part("output_text", { text: "", annotations: [], logprobs: [] });
    const annotation = { type: "url_citation", url, title, start_index: 0, end_index: part.text.length };
    const annotation_index = part.annotations.push(annotation) - 1;
    this.#event("response.output_text.annotation.added", { ...this.#place(), annotation_index, annotation });
  }

  protected override finish(ending: Ending, usage: CountedUsage): void {
    const isCut = ending === "max_output_tokens" || ending === "content_filter";
    this.#closeMessage(isCut ? "incomplete" : "completed");
    const response = {
      ...this.#response(isCut ? "incomplete" : "completed"),
      incomplete_details: isCut ? { reason: ending } : null,
      output: this.#output,
      usage: {
        input_tokens: usage.input,
        input_tokens_details: { cached_tokens: usage.cached, cache_write_tokens: usage.written },
        output_tokens: usage.output,
        output_tokens_details: { reasoning_tokens: usage.reasoning },
        total_tokens: usage.input + usage.output,
      },
    };
    this.#event(isCut ? "response.incomplete" : "response.completed", { response });
  }

  protected override errorOf({ code }: FailStep): { status: number | null; body: object } {
    const { status, word } = ERRORS[code];
    return { status, body: { error: { message: FAILED, type: word, param: null, code: word } } };
  }

  protected override breakOff({ code }: FailStep): void {
    const { word } = ERRORS[code];
    if (code === "canceled") this.#event("response.cancelled", { response: this.#response("cancelled") });
    // The API sends it in both forms.
    else if (code === "provider_overloaded") {
      this.#event("error", { error: { type: word, code: word, message: FAILED, param: null } });
    } else
      this.#event("response.failed", {
        response: { ...this.#response("failed"), error: { code: word, message: FAILED } },
      });
  }

  #part(type: string, empty: object): Loose {
    if (this.#message === null) {
      // As the model does: text before calls is commentary.
      const phase = this.willCall ? "commentary" : "final_answer";
      const id = `msg_${this.number}_${this.#output.length}`;
      this.#message = { id, type: "message", status: "in_progress", role: "assistant", content: [], phase };
      this.#event("response.output_item.added", { output_index: this.#output.length, item: { ...this.#message } });
    }
    const last = this.#message.content.at(-1);
    if (last?.type === type) return last;
    const part: Loose = { type, ...empty };
    this.#message.content.push(part);
    this.#event("response.content_part.added", { ...this.#place(), part });
    return part;
  }

  #place(): object {
    const { id, content } = this.#message;
    return { item_id: id, output_index: this.#output.length, content_index: content.length - 1 };
  }

  #closeMessage(status = "completed"): void {
    if (this.#message === null) return;
    const message = { ...this.#message, status };
    this.#message = null;
    this.#done(message);
  }

  #done(item: object): void {
    const output_index = this.#output.push(item) - 1;
    this.#event("response.output_item.done", { output_index, item });
  }

  #response(status: string): object {
    const { model, instructions = null, tools = [] } = this.#body;
    return {
      id: `resp_${this.number}`,
      object: "response",
      status,
      model,
      instructions,
      tools,
      output: [],
      usage: null,
    };
  }

  #event(type: string, fields: object): void {
    const event = { type, sequence_number: this.#sequence++, ...fields };
    this.write(`event: ${type}\ndata: ${JSON.stringify(event)}\n\n`);
  }
}

const FAILED = "The fake model was told to fail.";

/** Each failure on this wire; null: the connection is cut. */
const ERRORS: Readonly<Record<FailStep["code"], { status: number | null; word: string }>> = {
  provider_client_error: { status: 400, word: "invalid_prompt" },
  provider_error: { status: 200, word: "unheard_of" },
  provider_overloaded: { status: 503, word: "server_is_overloaded" },
  provider_rate_limited: { status: 429, word: "rate_limit_exceeded" },
  provider_unavailable: { status: null, word: "server_error" },
  end_user_blocked: { status: 403, word: "identifier_blocked" },
  canceled: { status: 200, word: "" },
};

/** The prompt as a model behind this wire sees it. */
function readPrompt(body: Loose): Prompt {
  const { format, verbosity } = body.text ?? {};
  const { tools = [] } = body;
  return {
    instructions: body.instructions ?? null,
    items: body.input.flatMap(readItem),
    tools: tools.map((tool: Loose) => ({ description: null, ...tool })),
    toolChoice: body.tool_choice ?? "auto",
    parallelToolCalls: body.parallel_tool_calls ?? null,
    temperature: null,
    topP: null,
    presencePenalty: null,
    frequencyPenalty: null,
    format: format ?? null,
    verbosity: verbosity ?? null,
    maxOutputTokens: body.max_output_tokens ?? 100_000,
    otherCallIds: [],
    maxOutputTokensSet: body.max_output_tokens !== undefined,
    endUserHash: body.safety_identifier ?? null,
  };
}

function readItem(item: Loose): PromptItem[] {
  switch (item.type) {
    case "message": {
      const text = textOf(item.content);
      if (item.role !== "assistant") return [{ type: "message", role: item.role, text }];
      return [{ type: "assistant", text, isRefusal: false, phase: item.phase ?? null }];
    }
    case "function_call":
      return [{ type: "call", callId: item.call_id, name: item.name, arguments: item.arguments }];
    case "function_call_output":
      return [{ type: "result", callId: item.call_id, name: null, output: item.output }];
    default:
      // Reasoning is not part of the conversation's text.
      return [];
  }
}

function textOf(content: Loose): string {
  if (typeof content === "string") return content;
  return content.map(({ text, refusal }: Loose) => text ?? refusal).join("\n");
}
