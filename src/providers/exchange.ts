// One exchange with a provider, from dispatch to settlement; every fault of the wire is a ProviderFailure.
//
//   dispatched ──headers 2xx──▶ reading ──[DONE] or end──▶ settled
//       │  │                       └──fault of the wire or of the answer──▶ settled (failure), connection closed
//       │  └──any other status──▶ refused: body gathered ──▶ settled (failure)
//       └──no connection, abort──▶ settled (failure)
import type { Dispatcher } from "undici";
import type { Clock, StopTimer } from "../ports/clock.ts";
import { ProviderFailure, type ProviderFailureDetail } from "../ports/provider.ts";
import { type AnswerBody, type BodyReader, createAnswerBody, TooLong } from "./answer-body.ts";
import { ANSWER_BYTES_MAX, ERROR_BODY_BYTES_MAX, LINGER_MS } from "./bounds.ts";
import { type AnswerHeaders, readHeader } from "./retry-after.ts";
import { createUtf8Reader, NotUtf8 } from "./utf8.ts";
import { FAILURE_SENTENCES } from "./verdict.ts";

/** What is known of an answer before its body. */
export interface AnswerHead {
  readonly provider: string;
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** The provider's own id of the request. */
  readonly requestId: string | null;
}

/** How far an answer has come: `finished` when the model has ended but more may follow (usage), `over` after its last word. */
export type AnswerProgress = "running" | "finished" | "over";

/** Who reads one answer; what it throws ends the exchange. */
export interface AnswerReader extends BodyReader {
  /** After each piece that came from the network: hands over what was decoded of it. */
  flush(): void;
  progress(): AnswerProgress;
  /** Nothing follows. Throws a ProviderFailure when the model has not ended. */
  end(): void;
}

/** One request and who understands its answer. */
export interface ProviderExchange {
  /** Below the base URL, with a leading slash. */
  readonly path: string;
  readonly body: string;
  /** Sent with this request beside those of its transport: name, value, name, value. */
  readonly headers?: readonly string[];
  /** Longest line and event of its answer, characters; that of bounds.ts unless said otherwise. */
  readonly lineCharactersMax?: number;
  readonly signal: AbortSignal;
  /** Whether an earlier exchange of the same round has been answered: whatever fails now, the round ran. */
  readonly hasRun?: boolean;
  /** Opens the reader of a 2xx answer. */
  read(head: AnswerHead): AnswerReader;
  /** Makes the failure of any other answer; the body is bounded and may be cut. */
  refuse(head: AnswerHead, body: string): ProviderFailure;
}

/** One exchange from dispatch to settlement: owns its connection and its timer. */
export class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #provider: string;
  readonly #exchange: ProviderExchange;
  readonly #clock: Clock;
  readonly #resolve: () => void;
  readonly #reject: (failure: unknown) => void;

  #controller: Dispatcher.DispatchController | null = null;
  #settled = false;
  /** Whether the provider may still send. */
  #isOpen = true;
  #head: AnswerHead | null = null;
  #reader: AnswerReader | null = null;
  #body: AnswerBody | null = null;
  readonly #utf8 = createUtf8Reader();
  #bytes = 0;
  /** What came in this turn of the event loop and is not decoded yet. */
  #waiting: Buffer[] = [];
  #errorBody: Buffer[] = [];
  #stopLinger: StopTimer | null = null;

  constructor(
    provider: string,
    exchange: ProviderExchange,
    clock: Clock,
    resolve: () => void,
    reject: (failure: unknown) => void,
  ) {
    this.#provider = provider;
    this.#exchange = exchange;
    this.#clock = clock;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Follows the signal; false when it is aborted already. */
  listen(): boolean {
    const { signal } = this.#exchange;
    if (signal.aborted) {
      this.#onAbort();
      return false;
    }
    signal.addEventListener("abort", this.#onAbort, { once: true });
    return true;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Aborted while it waited for a connection: nothing is sent.
    if (this.#settled) this.#close();
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: AnswerHeaders): void {
    // Interim answers (103 and the like) say nothing.
    if (status < 200) return;
    const requestId = readHeader(headers, "x-request-id") ?? readHeader(headers, "request-id");
    this.#head = { provider: this.#provider, status, headers, requestId: requestId?.slice(0, 200) ?? null };
    if (status >= 300) {
      // An error body that never ends must not hold the failure back.
      this.#linger();
      return;
    }
    this.#reader = this.#exchange.read(this.#head);
    this.#body = createAnswerBody(this.#reader, this.#exchange.lineCharactersMax);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#body === null) {
      if (this.#bytes - chunk.length < ERROR_BODY_BYTES_MAX) this.#errorBody.push(chunk);
      else this.#refused();
      return;
    }
    if (this.#bytes > ANSWER_BYTES_MAX) {
      this.#drain();
      this.#failAnswer(new TooLong("an answer longer than its bound"));
      return;
    }
    // All that one read of the socket brought is decoded together: undici calls once an HTTP chunk, which most servers send
    // once a delta, and a burst of a hundred would pay a hundred times for decoding and for waking the run.
    if (this.#waiting.push(chunk) === 1) queueMicrotask(this.#drain);
  }

  onResponseEnd(): void {
    this.#isOpen = false;
    this.#stopLinger?.();
    if (this.#settled) return;
    if (this.#reader === null) {
      this.#refused();
      return;
    }
    this.#drain();
    this.#end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#isOpen = false;
    this.#stopLinger?.();
    if (this.#settled) return;
    if (this.#reader !== null) {
      this.#drain();
      // The model had ended: what was lost is at most a count of tokens.
      if (this.#reader.progress() !== "running") this.#end();
      else this.#fail(this.#faultOfWire(error));
      return;
    }
    if (this.#head !== null) this.#refused();
    // What undici finds wrong with a request is a fault of ours.
    else if (error.name === "InvalidArgumentError") this.#fail(error);
    else this.#fail(this.#faultOfWire(error));
  }

  readonly #drain = (): void => {
    const { length } = this.#waiting;
    if (length === 0) return;
    const bytes = length === 1 ? (this.#waiting[0] as Buffer) : Buffer.concat(this.#waiting);
    this.#waiting = [];
    if (this.#settled || this.#reader === null || this.#body === null) return;
    try {
      this.#body.feed(this.#utf8.read(bytes));
      this.#reader.flush();
      // Behind the last word anything may come.
      if (this.#reader.progress() !== "over") this.#utf8.check();
    } catch (error) {
      this.#failAnswer(error);
      return;
    }
    const progress = this.#reader.progress();
    if (progress === "running") return;
    if (progress === "over") this.#end();
    if (this.#isOpen) this.#linger();
  };

  readonly #onAbort = (): void => {
    this.#fail(this.#failure({ code: "canceled", message: "The turn was stopped.", certainlyNotRun: false }));
  };

  /** The answer is over: hands over the rest and settles. */
  #end(): void {
    if (this.#settled || this.#reader === null || this.#body === null) return;
    try {
      if (this.#reader.progress() !== "over") {
        this.#utf8.end();
        this.#body.end();
      }
      this.#reader.end();
      this.#reader.flush();
    } catch (error) {
      this.#failAnswer(error);
      return;
    }
    if (this.#settle()) this.#resolve();
  }

  /** Settles when nothing has come for a while; then closes a connection whose body is still open. */
  #linger(): void {
    // From anew with each piece: there are gateways that say with every chunk that the model has ended.
    this.#stopLinger?.();
    this.#stopLinger = this.#clock.after(LINGER_MS, () => {
      if (this.#reader === null) this.#refused();
      else this.#end();
      this.#close();
    });
  }

  #refused(): void {
    if (this.#head === null) return;
    const bytes = Buffer.concat(this.#errorBody).subarray(0, ERROR_BODY_BYTES_MAX);
    // Not strict: an error in another encoding is still an error, and its status says which.
    this.#fail(this.#exchange.refuse(this.#head, bytes.toString("utf8")));
  }

  /** What an answer was decoded into before its fault is handed over, then the fault. */
  #failAnswer(error: unknown): void {
    if (this.#settled) return;
    try {
      this.#reader?.flush();
    } catch (flushError) {
      this.#fail(flushError);
      return;
    }
    if (error instanceof TooLong || error instanceof NotUtf8) {
      const message = `The provider sent ${error.message}.`;
      this.#fail(this.#failure({ code: "provider_error", message, certainlyNotRun: false, cause: error }));
    } else this.#fail(error);
  }

  #fail(failure: unknown): void {
    if (!this.#settle()) return;
    this.#close();
    this.#reject(failure);
  }

  /** False when it was settled before. */
  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    this.#exchange.signal.removeEventListener("abort", this.#onAbort);
    return true;
  }

  #close(): void {
    this.#stopLinger?.();
    this.#controller?.abort(new Error("the exchange is over"));
  }

  #faultOfWire(cause: Error & { code?: unknown }): ProviderFailure {
    const code = typeof cause.code === "string" ? cause.code : "";
    // An answer that is no HTTP.
    if (cause.name === "HTTPParserError" || code === "UND_ERR_HEADERS_OVERFLOW") {
      return this.#failure({
        code: "provider_error",
        message: FAILURE_SENTENCES.provider_error,
        certainlyNotRun: false,
        cause,
      });
    }
    const wasSent = this.#controller !== null;
    return this.#failure({
      code: "provider_unavailable",
      message: wasSent ? "The connection to the provider was lost." : "The provider could not be reached.",
      certainlyNotRun: !wasSent && this.#exchange.hasRun !== true,
      cause,
    });
  }

  #failure(detail: Omit<ProviderFailureDetail, "provider" | "status" | "requestId">): ProviderFailure {
    return new ProviderFailure({
      ...detail,
      provider: this.#provider,
      status: this.#head?.status ?? null,
      requestId: this.#head?.requestId ?? null,
    });
  }
}
