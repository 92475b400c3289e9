// A small server of chat completions, as Ollama and vLLM answer them: the simulated models' language behind a real wire. What a
// model does stands in the newest user message (docs/simulated-models.md), so one text makes every provider do the same.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { EchoedTool, EchoedToolChoice } from "../../src/contract/tools.ts";
import type { TextFormat } from "../../src/contract/settings.ts";
import type { Prompt, PromptItem } from "../../src/core/turn/prompt.ts";
import { plan } from "../../src/providers/simulated/plan.ts";
import type { FailStep, Step } from "../../src/providers/simulated/steps.ts";
import type { Loose } from "./http-client.ts";

/** One request that arrived. */
export interface ChatCall {
  readonly body: Loose;
  /** The content of its last message: the user's text, or the last tool's output. */
  readonly lastText: string;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Whether its answer was sent to the end. */
  isAnswered: boolean;
  /** Whether the caller closed the connection before that. */
  isAborted: boolean;
}

export class FakeChatServer {
  /** Every call in the order of arrival. */
  readonly calls: ChatCall[] = [];
  baseUrl = "";
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #sockets = new Set<Socket>();
  #made = 0;

  static async start(): Promise<FakeChatServer> {
    const fake = new FakeChatServer();
    const server = fake.#server;
    server.on("connection", (socket) => {
      fake.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => fake.#sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("not a TCP address");
    fake.baseUrl = `http://127.0.0.1:${address.port}/v1`;
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
    if (request.url !== "/v1/chat/completions") {
      response.writeHead(404, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: "no such path", type: "not_found_error", code: null } }));
      return;
    }
    const body: Loose = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    const lastText = String(body.messages.at(-1)?.content ?? "");
    const call: ChatCall = { body, lastText, headers: request.headers, isAnswered: false, isAborted: false };
    this.calls.push(call);
    response.on("error", () => {});
    response.on("close", () => {
      call.isAborted = !call.isAnswered;
    });
    const steps = plan({ modelId: String(body.model), ownText: "", prompt: readPrompt(body) });
    await new ChatAnswer(response, body, call, ++this.#made).play(steps);
  }
}

/** Four characters a token, as the service estimates. */
const CHARACTERS_PER_TOKEN = 4;
const ARGUMENTS_DELTA_CHARACTERS = 12;

/** What ends an answer within its steps. */
class Over extends Error {
  readonly finishReason: string;
  constructor(finishReason: string) {
    super(finishReason);
    this.finishReason = finishReason;
  }
}

/** One streamed answer. */
class ChatAnswer {
  readonly #response: ServerResponse;
  readonly #body: Loose;
  readonly #call: ChatCall;
  readonly #number: number;
  #charactersLeft: number;
  #output = 0;
  #reasoning = 0;
  #calls = 0;
  #usage: Loose = {};

  constructor(response: ServerResponse, body: Loose, call: ChatCall, number: number) {
    this.#response = response;
    this.#body = body;
    this.#call = call;
    this.#number = number;
    this.#charactersLeft = (body.max_tokens ?? Number.POSITIVE_INFINITY) * CHARACTERS_PER_TOKEN;
  }

  async play(steps: readonly Step[]): Promise<void> {
    let finishReason = "stop";
    try {
      for (const step of steps) await this.#playStep(step);
      if (this.#calls > 0) finishReason = "tool_calls";
    } catch (error) {
      if (!(error instanceof Over)) throw error;
      finishReason = error.finishReason;
    }
    if (finishReason === "broken" || this.#response.destroyed) return;
    this.#chunk({}, finishReason);
    this.#write({ choices: [], usage: this.#countUsage() });
    this.#call.isAnswered = true;
    this.#response.end("data: [DONE]\n\n");
  }

  async #playStep(step: Step): Promise<void> {
    switch (step.do) {
      case "say": {
        let isFirst = true;
        for (const delta of step.deltas) {
          if (!isFirst) await this.#wait(step.pauseMs);
          isFirst = false;
          this.#putOut(delta, (content) => this.#chunk({ content }));
        }
        return;
      }
      case "refuse":
        // Without a word only the end of the answer says it.
        if (step.text === "") throw new Over("content_filter");
        return this.#putOut(step.text, (refusal) => this.#chunk({ refusal }));
      case "reason":
        return this.#putOut(step.text, (reasoning) => {
          this.#reasoning += reasoning.length;
          this.#chunk({ reasoning });
        });
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
        throw new Over(step.reason === "max_output_tokens" ? "length" : step.reason);
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

  #sendCall(name: string, callArguments: string): void {
    const index = this.#calls++;
    const id = `call_chat_${this.#number}_${index}`;
    this.#chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] });
    for (let start = 0; start < callArguments.length; start += ARGUMENTS_DELTA_CHARACTERS) {
      const delta = callArguments.slice(start, start + ARGUMENTS_DELTA_CHARACTERS);
      this.#putOut(delta, (piece) => this.#chunk({ tool_calls: [{ index, function: { arguments: piece } }] }));
    }
  }

  #putOut(text: string, send: (text: string) => void): void {
    const kept = text.slice(0, this.#charactersLeft);
    this.#charactersLeft -= kept.length;
    this.#output += kept.length;
    if (kept !== "") send(kept);
    if (kept.length < text.length) throw new Over("length");
  }

  /** Before the first word an HTTP error, after it an error in the stream; a provider that is away just hangs up. */
  #fail({ code, retryAfterSeconds }: FailStep): never {
    const { status, type } = ERRORS[code] ?? { status: 500, type: "server_error" };
    if (this.#response.headersSent) {
      this.#write({ error: { message: "The fake model was told to fail.", type, code: type } });
      this.#response.end();
    } else if (status === null) this.#response.destroy();
    else {
      this.#response.writeHead(status, {
        "content-type": "application/json",
        ...(retryAfterSeconds === null ? {} : { "retry-after": String(retryAfterSeconds) }),
      });
      this.#response.end(JSON.stringify({ error: { message: "The fake model was told to fail.", type, code: null } }));
    }
    throw new Over("broken");
  }

  async #wait(milliseconds: number): Promise<void> {
    if (milliseconds > 0) await new Promise((resolve) => setTimeout(resolve, milliseconds));
    if (this.#response.destroyed) throw new Over("broken");
  }

  #chunk(delta: object, finishReason: string | null = null): void {
    this.#write({ choices: [{ index: 0, delta, finish_reason: finishReason }] });
  }

  #open(): void {
    if (this.#response.headersSent) return;
    this.#response.writeHead(200, { "content-type": "text/event-stream", "x-request-id": `chat-${this.#number}` });
    this.#response.flushHeaders();
    this.#chunk({ role: "assistant", content: "" });
  }

  #write(chunk: object): void {
    this.#open();
    const head = {
      id: `chatcmpl-${this.#number}`,
      object: "chat.completion.chunk",
      created: 1,
      model: this.#body.model,
    };
    this.#response.write(`data: ${JSON.stringify({ ...head, ...chunk })}\n\n`);
  }

  #countUsage(): object {
    const tokens = (characters: number) => Math.ceil(characters / CHARACTERS_PER_TOKEN);
    const input = this.#usage.input ?? tokens(JSON.stringify(this.#body.messages).length);
    const output = this.#usage.output ?? tokens(this.#output);
    return {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: { cached_tokens: this.#usage.cached ?? 0 },
      completion_tokens_details: { reasoning_tokens: this.#usage.reasoning ?? tokens(this.#reasoning) },
    };
  }
}

/** How this wire says each failure; null: the connection breaks off. */
const ERRORS: Readonly<Partial<Record<FailStep["code"], { status: number | null; type: string }>>> = {
  provider_client_error: { status: 400, type: "invalid_request_error" },
  provider_error: { status: 200, type: "unheard_of" },
  provider_overloaded: { status: 529, type: "overloaded_error" },
  provider_rate_limited: { status: 429, type: "rate_limit_error" },
  provider_unavailable: { status: null, type: "server_error" },
  end_user_blocked: { status: 403, type: "user_blocked" },
};

/** The prompt as a model at the other end of the wire sees it. */
function readPrompt(body: Loose): Prompt {
  const items: PromptItem[] = [];
  let instructions: string | null = null;
  for (const message of body.messages) {
    const text = String(message.content ?? "");
    if (message.role === "system" && items.length === 0 && instructions === null) instructions = text;
    else if (message.role === "tool") {
      items.push({ type: "result", callId: message.tool_call_id, name: null, output: text });
    } else if (message.role === "assistant") {
      if (text !== "") items.push({ type: "answer", text, declined: false, phase: null });
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
