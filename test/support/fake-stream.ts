// One streamed response of a fake provider: the steps of the simulated models, written as a wire writes its events.
import type { ServerResponse } from "node:http";
import type { Prompt } from "../../src/core/response/prompt.ts";
import type { FailStep, Step } from "../../src/providers/simulated/steps.ts";
import type { Loose } from "./http-client.ts";

/** An HTTP error. */
export interface ApiError {
  readonly status: number;
  readonly message: string;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export function refuse(response: ServerResponse, { status, body, headers = {} }: ApiError): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/** Four characters a token, as the service estimates. */
const CHARACTERS_PER_TOKEN = 4;

const ARGUMENTS_DELTA_CHARACTERS = 12;

/** The ending of a response: by itself, with calls, truncated, filtered, or with a refusal. */
export type Ending = "ended" | "called" | "max_output_tokens" | "content_filter" | "refusal";

/** Thrown to end a response within its steps; null: the connection or the stream is broken already. */
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

/** One streamed response; a wire defines how each of its events is written. */
export abstract class FakeStream {
  protected readonly response: ServerResponse;
  protected readonly number: number;
  protected readonly requestIdHeader: string = "x-request-id";
  /** Whether the response being played calls tools. */
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

  /** Writes everything before the first output. */
  protected abstract open(): void;
  protected abstract text(text: string): void;
  /** The model refuses. Returns the ending that this causes; null when the response continues to its end. */
  protected abstract refuse(text: string): Ending | null;
  protected abstract think(text: string): void;
  protected abstract call(id: string, name: string, deltas: Iterable<string>): void;
  protected abstract cite(url: string, title: string): void;
  protected abstract finish(ending: Ending, usage: CountedUsage): void;
  /** A failure on this wire: its status, null for a connection that is cut, and its error object. */
  protected abstract errorOf(failure: FailStep): { readonly status: number | null; readonly body: object };
  /** Writes an error within a stream. */
  protected abstract breakOff(failure: FailStep): void;

  /** Plays the steps; returns whether the response came to its end. */
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

  /** Emits as much of a text as the limit allows. */
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
        const ending = this.refuse(step.text);
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
        // Each wire has its own states.
        return;
      default:
        return step satisfies never;
    }
  }

  /**
   * Before the first output an HTTP error, after it an error in the stream; an unreachable provider closes the
   * connection.
   */
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
