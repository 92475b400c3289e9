// A provider behind a real wire that speaks the simulated models' language: what its model does stands in the newest user message
// (docs/simulated-models.md), so one text makes every provider do the same. Here is what all wires have in common; each adds its
// words, and the rules by which its real server refuses requests.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Prompt } from "../../src/core/turn/prompt.ts";
import { plan } from "../../src/providers/simulated/plan.ts";
import type { FailStep, Step } from "../../src/providers/simulated/steps.ts";
import type { Loose } from "./http-client.ts";

/** One request that arrived. */
export interface FakeCall {
  readonly body: Loose;
  readonly headers: Loose;
  /** What a model at the other end of the wire sees; null for a request that was refused. */
  readonly prompt: Prompt | null;
  /** Why the real server would have refused it; null for one that was served. */
  readonly error: string | null;
  /** Whether its answer was sent to the end. */
  isAnswered: boolean;
  /** Whether the caller closed the connection before that. */
  isAborted: boolean;
}

/** An HTTP answer that is no stream. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request as it came. */
export interface FakeRequest {
  readonly url: string;
  readonly headers: Loose;
  readonly body: Loose;
  /** Counts from 1. */
  readonly number: number;
}

/** One wire. */
export interface Wire {
  /** Behind the server's address. */
  readonly basePath: string;
  /** What is wrong with a request; null when it is served. */
  check(request: FakeRequest): Refusal | null;
  read(request: FakeRequest): { readonly modelId: string; readonly prompt: Prompt; readonly tokensMax: number | null };
  answer(request: FakeRequest, response: ServerResponse): FakeAnswer;
}

export class FakeProvider {
  /** Every call in the order of arrival. */
  readonly calls: FakeCall[] = [];
  baseUrl = "";
  readonly #wire: Wire;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #sockets = new Set<Socket>();
  #made = 0;

  private constructor(wire: Wire) {
    this.#wire = wire;
  }

  static async start(wire: Wire): Promise<FakeProvider> {
    const fake = new FakeProvider(wire);
    const server = fake.#server;
    server.on("connection", (socket) => {
      fake.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => fake.#sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("not a TCP address");
    fake.baseUrl = `http://127.0.0.1:${address.port}${wire.basePath}`;
    return fake;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of message) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const body: Loose = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    const request = { url: message.url ?? "", headers: message.headers, body, number: ++this.#made };
    const refusal = this.#wire.check(request);
    const reading = refusal === null ? this.#wire.read(request) : null;
    const call: FakeCall = {
      body,
      headers: message.headers,
      prompt: reading?.prompt ?? null,
      error: refusal?.message ?? null,
      isAnswered: false,
      isAborted: false,
    };
    this.calls.push(call);
    response.on("error", () => {});
    response.on("close", () => {
      call.isAborted = !call.isAnswered;
    });
    if (refusal !== null) return refuse(response, refusal);
    if (reading === null) return;
    const { modelId, prompt, tokensMax } = reading;
    const answer = this.#wire.answer(request, response);
    call.isAnswered = await answer.play(plan({ modelId, ownText: "", prompt }), tokensMax, prompt);
  }
}

function refuse(response: ServerResponse, { status, body, headers = {} }: Refusal): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/** Four characters a token, as the service estimates. */
const CHARACTERS_PER_TOKEN = 4;
const ARGUMENTS_DELTA_CHARACTERS = 12;

/** How an answer ends: by itself, with calls to answer, cut, or without a word more to say. */
export type Ending = "ended" | "called" | "max_output_tokens" | "content_filter" | "declined";

/** Thrown to end an answer within its steps; null: the connection or the stream is broken already. */
class Over extends Error {
  readonly ending: Ending | null;
  constructor(ending: Ending | null) {
    super(String(ending));
    this.ending = ending;
  }
}

export interface CountedUsage {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly written: number;
  readonly reasoning: number;
}

/** One streamed answer; a wire says how each of its events is written. */
export abstract class FakeAnswer {
  protected readonly response: ServerResponse;
  protected readonly number: number;
  protected readonly requestIdHeader: string = "x-request-id";
  /** Whether the answer that is played calls tools. */
  protected willCall = false;
  #charactersLeft = Infinity;
  #output = 0;
  #reasoning = 0;
  #calls = 0;
  #usage: Loose = {};

  constructor(response: ServerResponse, number: number) {
    this.response = response;
    this.number = number;
  }

  /** Everything before the first word. */
  protected abstract open(): void;
  protected abstract text(text: string): void;
  /** The model declines; answers how that ends it, null when the answer goes on to its end. */
  protected abstract decline(text: string): Ending | null;
  protected abstract think(text: string): void;
  protected abstract call(id: string, name: string, deltas: Iterable<string>): void;
  protected abstract cite(url: string, title: string): void;
  protected abstract finish(ending: Ending, usage: CountedUsage): void;
  /** How the wire says a failure: a status, null for a connection that breaks off, and its error object. */
  protected abstract errorOf(failure: FailStep): { readonly status: number | null; readonly body: object };
  /** An error in the midst of a stream. */
  protected abstract breakOff(failure: FailStep): void;

  /** Plays the steps; answers whether the answer came to its end. */
  async play(steps: readonly Step[], tokensMax: number | null, prompt: Prompt): Promise<boolean> {
    this.#charactersLeft = tokensMax === null ? Infinity : tokensMax * CHARACTERS_PER_TOKEN;
    this.willCall = steps.some((step) => step.do === "call");
    let ending: Ending | null = "ended";
    try {
      for (const step of steps) await this.#playStep(step);
      if (this.#calls > 0) ending = "called";
    } catch (error) {
      if (!(error instanceof Over)) throw error;
      ending = error.ending;
    }
    if (ending === null || this.response.destroyed) return false;
    this.#open();
    this.finish(ending, this.#countUsage(prompt));
    this.response.end();
    return true;
  }

  protected write(frame: string): void {
    this.response.write(frame);
  }

  /** Puts out as much of a text as may still be. */
  protected putOut(text: string, send: (text: string) => void): void {
    this.#open();
    const kept = text.slice(0, this.#charactersLeft);
    this.#charactersLeft -= kept.length;
    this.#output += kept.length;
    if (kept !== "") send(kept);
    if (kept.length < text.length) throw new Over("max_output_tokens");
  }

  async #playStep(step: Step): Promise<void> {
    switch (step.do) {
      case "say": {
        let isFirst = true;
        for (const delta of step.deltas) {
          if (!isFirst) await this.#wait(step.pauseMs);
          isFirst = false;
          this.putOut(delta, (text) => this.text(text));
        }
        return;
      }
      case "refuse": {
        this.#open();
        const ending = this.decline(step.text);
        if (ending !== null) throw new Over(ending);
        return;
      }
      case "reason":
        this.#open();
        this.#output += step.text.length;
        this.#reasoning += step.text.length;
        return this.think(step.text);
      case "call": {
        this.#open();
        const id = `call_${this.number}_${this.#calls++}`;
        return this.call(id, step.name, piecesOf(step.arguments));
      }
      case "cite":
        return this.cite(step.url, step.title);
      case "usage":
        this.#usage = step.usage;
        return;
      case "wait":
        return this.#wait(step.milliseconds);
      case "hang":
        this.#open();
        await new Promise<void>((resolve) => this.response.once("close", resolve));
        throw new Over(null);
      case "end":
        throw new Over(step.reason === "content_filter" ? "content_filter" : "max_output_tokens");
      case "fail":
        this.#fail(step.failure);
        throw new Over(null);
      case "state":
        // A wire has states of its own.
        return;
      default:
        return step satisfies never;
    }
  }

  /** Before the first word an HTTP error, after it an error in the stream; a provider that is away just hangs up. */
  #fail(failure: FailStep): void {
    const { status, body } = this.errorOf(failure);
    if (this.response.headersSent || status === 200) {
      this.#open();
      this.breakOff(failure);
      this.response.end();
    } else if (status === null) this.response.destroy();
    else {
      const { retryAfterSeconds } = failure;
      const headers = retryAfterSeconds === null ? {} : { "retry-after": String(retryAfterSeconds) };
      refuse(this.response, { status, message: "", body, headers });
    }
  }

  #open(): void {
    if (this.response.headersSent) return;
    this.response.writeHead(200, {
      "content-type": "text/event-stream",
      [this.requestIdHeader]: `req_fake_${this.number}`,
    });
    this.response.flushHeaders();
    this.open();
  }

  async #wait(milliseconds: number): Promise<void> {
    if (milliseconds > 0) await new Promise((resolve) => setTimeout(resolve, milliseconds));
  }

  #countUsage(prompt: Prompt): CountedUsage {
    const tokens = (characters: number) => Math.ceil(characters / CHARACTERS_PER_TOKEN);
    const { input, output, cached, write, reasoning } = this.#usage;
    return {
      input: input ?? tokens(JSON.stringify(prompt.items).length),
      output: output ?? tokens(this.#output),
      cached: cached ?? 0,
      written: write ?? 0,
      reasoning: reasoning ?? tokens(this.#reasoning),
    };
  }
}

function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; start += ARGUMENTS_DELTA_CHARACTERS) {
    yield text.slice(start, start + ARGUMENTS_DELTA_CHARACTERS);
  }
}
