// A small server of the Messages API, strict as the real one: the simulated models' language behind a real wire. What a model does
// stands in the newest user message (docs/simulated-models.md), so one text makes every provider do the same.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { EchoedTool, EchoedToolChoice } from "../../src/contract/tools.ts";
import type { Prompt, PromptItem } from "../../src/core/turn/prompt.ts";
import { plan } from "../../src/providers/simulated/plan.ts";
import type { FailStep, Step } from "../../src/providers/simulated/steps.ts";
import type { Loose } from "./http-client.ts";
import { checkRequest, type MessagesError, signThought } from "./messages-rules.ts";

/** The key that it takes. */
export const MESSAGES_KEY = "sk-ant-fake";

/** One request that arrived. */
export interface MessagesCall {
  readonly body: Loose;
  /** The text of its last message: the user's words, or the last tool's output. */
  readonly lastText: string;
  readonly headers: Readonly<Record<string, unknown>>;
  /** What the API would have refused; null for a request that was served. */
  readonly error: MessagesError | null;
  /** Whether its answer was sent to the end. */
  isAnswered: boolean;
  /** Whether the caller closed the connection before that. */
  isAborted: boolean;
}

export class FakeMessagesServer {
  /** Every call in the order of arrival. */
  readonly calls: MessagesCall[] = [];
  baseUrl = "";
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #sockets = new Set<Socket>();
  #made = 0;

  static async start(): Promise<FakeMessagesServer> {
    const fake = new FakeMessagesServer();
    const server = fake.#server;
    server.on("connection", (socket) => {
      fake.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => fake.#sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("not a TCP address");
    fake.baseUrl = `http://127.0.0.1:${address.port}`;
    return fake;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const number = ++this.#made;
    if (request.url !== "/v1/messages") {
      return refuse(response, number, { status: 404, type: "not_found_error", message: "Not found" });
    }
    const body: Loose = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    const { error, droppedThinking } = checkRequest(request.headers, body, MESSAGES_KEY);
    const lastText = textOf(body.messages.at(-1)?.content?.at?.(-1));
    const call: MessagesCall = {
      body,
      lastText,
      headers: request.headers,
      error,
      isAnswered: false,
      isAborted: false,
    };
    this.calls.push(call);
    response.on("error", () => {});
    response.on("close", () => {
      call.isAborted = !call.isAnswered;
    });
    if (error !== null) return refuse(response, number, error);
    const steps = holdsDeclined(body)
      ? [{ do: "refuse", text: "" } as const]
      : plan({ modelId: String(body.model), ownText: "", prompt: readPrompt(body) });
    await new MessagesAnswer(response, call, number, droppedThinking).play(steps);
  }
}

function refuse(response: ServerResponse, number: number, error: MessagesError, headers: object = {}): void {
  const { status, type, message } = error;
  const requestId = `req_fake_${number}`;
  response.writeHead(status, { "content-type": "application/json", "request-id": requestId, ...headers });
  response.end(JSON.stringify({ type: "error", error: { type, message }, request_id: requestId }));
}

/** Four characters a token, as the service estimates. */
const CHARACTERS_PER_TOKEN = 4;
const ARGUMENTS_DELTA_CHARACTERS = 12;

/** What ends an answer within its steps. */
class Over extends Error {
  readonly stopReason: string;
  constructor(stopReason: string) {
    super(stopReason);
    this.stopReason = stopReason;
  }
}

/** One streamed answer. */
class MessagesAnswer {
  readonly #response: ServerResponse;
  readonly #call: MessagesCall;
  readonly #number: number;
  readonly #droppedThinking: readonly string[];
  #charactersLeft: number;
  #output = 0;
  #reasoning = 0;
  #calls = 0;
  #blocks = 0;
  #openType: string | null = null;
  #usage: Loose = {};

  constructor(response: ServerResponse, call: MessagesCall, number: number, droppedThinking: readonly string[]) {
    this.#response = response;
    this.#call = call;
    this.#number = number;
    this.#droppedThinking = droppedThinking;
    this.#charactersLeft = call.body.max_tokens * CHARACTERS_PER_TOKEN;
  }

  async play(steps: readonly Step[]): Promise<void> {
    let stopReason = "end_turn";
    try {
      for (const step of steps) await this.#playStep(step);
      if (this.#calls > 0) stopReason = "tool_use";
    } catch (error) {
      if (!(error instanceof Over)) throw error;
      stopReason = error.stopReason;
    }
    if (stopReason === "broken" || this.#response.destroyed) return;
    this.#closeBlock();
    const details = { type: "refusal", category: null, explanation: "An unstable sentence." };
    this.#event({
      type: "message_delta",
      delta: {
        stop_reason: stopReason,
        stop_sequence: null,
        stop_details: stopReason === "refusal" ? details : null,
      },
      usage: this.#countUsage(),
    });
    this.#event({ type: "message_stop" });
    this.#call.isAnswered = true;
    this.#response.end();
  }

  async #playStep(step: Step): Promise<void> {
    switch (step.do) {
      case "say": {
        let isFirst = true;
        for (const delta of step.deltas) {
          if (!isFirst) await this.#wait(step.pauseMs);
          isFirst = false;
          this.#putOut(delta, (text) => this.#text(text));
        }
        return;
      }
      case "refuse":
        // The words come as text; then the end says that they were the last.
        if (step.text !== "") this.#putOut(step.text, (text) => this.#text(text));
        throw new Over("refusal");
      case "reason":
        return this.#think(step.text);
      case "call":
        return this.#sendCall(step.name, step.arguments);
      case "usage":
        this.#usage = step.usage;
        return;
      case "wait":
        return this.#wait(step.milliseconds);
      case "hang":
        this.#open();
        await new Promise<void>((resolve) => this.#response.once("close", resolve));
        throw new Over("broken");
      case "end":
        throw new Over(step.reason === "content_filter" ? "refusal" : "max_tokens");
      case "fail":
        return this.#fail(step.failure);
      case "cite":
      case "state":
        // This wire has no words for them.
        return;
      default:
        return step satisfies never;
    }
  }

  #text(text: string): void {
    if (this.#openType !== "text") this.#openBlock("text", { text: "" });
    this.#delta({ type: "text_delta", text });
  }

  #think(words: string): void {
    this.#openBlock("thinking", { thinking: "", signature: "" });
    this.#putOut(words, (thinking) => {
      this.#reasoning += thinking.length;
      this.#delta({ type: "thinking_delta", thinking });
    });
    const signature = signThought(this.#call.body, this.#call.body.messages, words);
    this.#delta({ type: "signature_delta", signature });
    this.#closeBlock();
  }

  #sendCall(name: string, callArguments: string): void {
    const id = `toolu_${this.#number}_${this.#calls++}`;
    this.#openBlock("tool_use", { id, name, input: {}, caller: { type: "direct" } });
    this.#delta({ type: "input_json_delta", partial_json: "" });
    for (let start = 0; start < callArguments.length; start += ARGUMENTS_DELTA_CHARACTERS) {
      const delta = callArguments.slice(start, start + ARGUMENTS_DELTA_CHARACTERS);
      this.#putOut(delta, (piece) => this.#delta({ type: "input_json_delta", partial_json: piece }));
    }
    this.#closeBlock();
  }

  #putOut(text: string, send: (text: string) => void): void {
    const kept = text.slice(0, this.#charactersLeft);
    this.#charactersLeft -= kept.length;
    this.#output += kept.length;
    if (kept !== "") send(kept);
    if (kept.length < text.length) throw new Over("max_tokens");
  }

  /** Before the first word an HTTP error, after it an error event; a provider that is away just hangs up. */
  #fail({ code, retryAfterSeconds }: FailStep): never {
    const { status, type } = ERRORS[code] ?? { status: 500, type: "api_error" };
    const message = "The fake model was told to fail.";
    if (this.#response.headersSent) {
      this.#event({ type: "error", error: { type, message } });
      this.#response.end();
    } else if (status === null) this.#response.destroy();
    else if (status === 200) {
      this.#event({ type: "error", error: { type, message } });
      this.#response.end();
    } else {
      const headers = retryAfterSeconds === null ? {} : { "retry-after": String(retryAfterSeconds) };
      refuse(this.#response, this.#number, { status, type, message }, headers);
    }
    throw new Over("broken");
  }

  async #wait(milliseconds: number): Promise<void> {
    if (milliseconds > 0) await new Promise((resolve) => setTimeout(resolve, milliseconds));
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

  #open(): void {
    if (this.#response.headersSent) return;
    this.#response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "request-id": `req_fake_${this.#number}`,
    });
    this.#response.flushHeaders();
    const dropped = this.#droppedThinking.map((path) => ({
      type: "thinking_dropped",
      path,
      reason: "prefix_binding_mismatch",
    }));
    const message = {
      id: `msg_fake_${this.#number}`,
      type: "message",
      role: "assistant",
      model: this.#call.body.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      usage: { ...this.#countUsage(), output_tokens: 1 },
      input_transformations: dropped,
    };
    this.#event({ type: "message_start", message });
    this.#event({ type: "ping" });
  }

  #event(event: { readonly type: string; readonly [key: string]: unknown }): void {
    if (event.type !== "message_start") this.#open();
    this.#response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }

  #countUsage(): object {
    const tokens = (characters: number) => Math.ceil(characters / CHARACTERS_PER_TOKEN);
    const cached = this.#usage.cached ?? 0;
    const input = this.#usage.input ?? tokens(JSON.stringify(this.#call.body.messages).length);
    return {
      input_tokens: input - cached,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: cached,
      output_tokens: this.#usage.output ?? tokens(this.#output),
      output_tokens_details: { thinking_tokens: this.#usage.reasoning ?? tokens(this.#reasoning) },
    };
  }
}

/** How this wire says each failure; null: the connection breaks off. */
const ERRORS: Readonly<Partial<Record<FailStep["code"], { status: number | null; type: string }>>> = {
  provider_client_error: { status: 400, type: "invalid_request_error" },
  provider_error: { status: 200, type: "unheard_of" },
  provider_overloaded: { status: 529, type: "overloaded_error" },
  provider_rate_limited: { status: 429, type: "rate_limit_error" },
  provider_unavailable: { status: null, type: "api_error" },
};

/** Whether an earlier question is one that was declined: the real API declines for as long as it is there. */
function holdsDeclined({ messages }: Loose): boolean {
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

/** The prompt as a model at the other end of the wire sees it. */
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
      else if (isText(block)) items.push({ type: "answer", text: block.text, declined: false, phase: null });
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
    instructions: body.system ?? null,
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
