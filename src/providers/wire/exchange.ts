// One HTTP exchange with a provider, from dispatch to settlement. Every network or protocol error becomes an UpstreamError.
//
//   dispatched ──headers 2xx──▶ reading ──[DONE] or end──▶ settled
//       │  │                     ◀─▶ paused: nothing is read while the bytes read are processed
//       │  │                       └──network or protocol error──▶ settled (failure), connection closed
//       │  └──any other status──▶ error response: body collected ──▶ settled (failure)
//       └──no connection, abort──▶ settled (failure)
import type { Dispatcher } from "undici";
import type { Clock, StopTimer } from "../../ports/clock.ts";
import { type OnResponse, UpstreamError } from "../../ports/provider.ts";
import { type ResponseBody, type BodyReader, createResponseBody } from "./response-body.ts";
import { ERROR_BODY_BYTES_MAX, LINGER_MS } from "./bounds.ts";
import { readRequestId } from "./json-shape.ts";
import { ContentDecoder } from "./content-coding.ts";
import { Intake, type ReadConnection } from "./intake.ts";
import { type ResponseHeaders, readHeader } from "./response-headers.ts";
import type { TextReader } from "./utf8.ts";
import { classifyLoss, isUnreadable, type UpstreamErrorCode } from "./error-codes.ts";

/** Status and headers of a response, with what its errors need to know. */
export interface HttpHead {
  readonly provider: string;
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** The provider's own id of the request. */
  readonly requestId: string | null;
  /** Unix milliseconds. */
  readonly receivedMs: number;
  /** Whether an earlier exchange of the same round got a response: the round has run, whatever fails now. */
  readonly hasRun: boolean;
  /** Values that were sent and no client may read, since a server may quote them. */
  readonly secrets: readonly string[];
}

/** Progress of a response: `finished` when the model has ended but more may follow (usage), `over` after the last event. */
export type ResponseProgress = "running" | "finished" | "over";

/** Decodes one response; an error it throws ends the exchange. */
export interface ResponseReader extends BodyReader {
  /**
   * Called after each network read: passes on the decoded parts. `bufferedBytes` are read and wait to be decoded. Returns as Receive does.
   */
  flush(bufferedBytes: number): void | Promise<void>;
  progress(): ResponseProgress;
  /** Called at the end of the body. Throws an UpstreamError if the model has not ended. */
  end(): void;
}

/** One request, and how to read its response. */
export interface ProviderExchange {
  /** Below the base URL, with a leading slash. */
  readonly path: string;
  readonly body: string;
  /** Headers in addition to those of the transport: name, value, name, value. */
  readonly headers?: readonly string[];
  /** Longest line, event or document of the response, characters; by default EVENT_CHARACTERS_MAX. */
  readonly eventCharactersMax?: number;
  readonly signal: AbortSignal;
  /** As in the head of its response; false when not given. */
  readonly hasRun?: boolean;
  /** Called with each response that is not interim; `onTaken` when one of 2xx begins. */
  readonly onResponse?: OnResponse | undefined;
  readonly onTaken?: (() => void) | undefined;
  /** Creates the reader of a 2xx response. */
  read(head: HttpHead): ResponseReader;
  /** Creates the error for any other response. The body is limited and may be truncated. */
  createError(head: HttpHead, body: string): UpstreamError;
}

/** What a handler is created with. */
interface HandlerOptions {
  readonly provider: string;
  /** Without the request body, which has been passed on. */
  readonly exchange: Omit<ProviderExchange, "body">;
  readonly secrets: readonly string[];
  readonly clock: Pick<Clock, "after" | "nowMs">;
  /** Makes text of the body of its response. */
  readonly text: TextReader;
  /** Whether the connection has taken the whole request. The provider cannot run a part of one. */
  readonly isSentWhole: () => boolean;
  /** Called once the response has been read; or `reject`, with an UpstreamError or the error of a bug. */
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Handles one exchange; owns its connection and its timer. */
export class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #options: HandlerOptions;
  #controller: Dispatcher.DispatchController | null = null;
  #settled = false;
  /** Whether the provider may still send. */
  #isOpen = true;
  #head: HttpHead | null = null;
  #reader: ResponseReader | null = null;
  #body: ResponseBody | null = null;
  #content: ContentDecoder | null = null;
  readonly #intake = new Intake((bytes) => this.#decode(bytes));
  #errorBody: Buffer[] = [];
  #errorBytes = 0;
  #stopLinger: StopTimer | null = null;

  constructor(options: HandlerOptions) {
    this.#options = options;
  }

  /** Listens to the signal; returns false if it is already aborted. */
  listen(): boolean {
    const { signal } = this.#options.exchange;
    if (signal.aborted) {
      this.#onAbort();
      return false;
    }
    signal.addEventListener("abort", this.#onAbort, { once: true });
    return true;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Aborted while waiting for a connection: nothing is sent.
    if (this.#settled) this.#close();
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    // Ignores interim responses such as 103.
    if (status < 200) return;
    const { provider, exchange, secrets, clock } = this.#options;
    const [requestId] = ["x-request-id", "request-id", "x-amzn-requestid"].flatMap(
      (name) => readHeader(headers, name) ?? [],
    );
    this.#head = {
      provider,
      status,
      headers,
      requestId: readRequestId(requestId, secrets),
      receivedMs: clock.nowMs(),
      hasRun: exchange.hasRun === true,
      secrets,
    };
    exchange.onResponse?.(this.#head);
    this.#content = new ContentDecoder({
      encoding: readHeader(headers, "content-encoding"),
      take: (bytes, connection) => this.#take(bytes, connection),
      end: (error) => this.#bodyOver(error),
    });
    if (status >= 300) {
      // An error body that never ends must not delay the error.
      this.#linger();
      return;
    }
    exchange.onTaken?.();
    this.#reader = exchange.read(this.#head);
    this.#body = createResponseBody(this.#reader, exchange.eventCharactersMax);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#content?.write(chunk, controller);
  }

  onResponseEnd(): void {
    this.#isOpen = false;
    this.#stopLinger?.();
    this.#content?.end(null);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#isOpen = false;
    this.#stopLinger?.();
    if (this.#content !== null) this.#content.end(error);
    // undici rejects the request itself: a bug of ours.
    else if (error.name === "InvalidArgumentError") this.#fail(error);
    else this.#fail(this.#networkError(error));
  }

  #take(bytes: Buffer, connection: ReadConnection): void {
    if (this.#body !== null) this.#intake.add(bytes, connection);
    else if (this.#errorBytes >= ERROR_BODY_BYTES_MAX) this.#failWithStatus();
    else {
      this.#errorBody.push(bytes);
      this.#errorBytes += bytes.length;
    }
  }

  /** All of the body has arrived, or what arrived before an error. */
  #bodyOver(error: Error | null): void {
    if (this.#settled) return;
    const reader = this.#reader;
    if (reader === null) return this.#failWithStatus();
    this.#intake.after(() => {
      // The model had ended: at most the usage is lost.
      if (error === null || reader.progress() !== "running") this.#end();
      else if (isUnreadable(error)) this.#failDecoding(error);
      else this.#fail(this.#networkError(error));
    });
  }

  #decode(bytes: Buffer): void | Promise<void> {
    if (this.#settled || this.#reader === null || this.#body === null) return;
    let taken: void | Promise<void>;
    let hasEvent: boolean;
    try {
      hasEvent = this.#body.feed(this.#options.text.read(bytes));
      const held = (this.#content?.heldBytes() ?? 0) + (this.#options.text.heldBytes?.() ?? 0);
      taken = this.#reader.flush(this.#body.bufferedBytes() + held);
      // Bytes after the last event do not matter.
      if (this.#reader.progress() !== "over") this.#options.text.check();
    } catch (error) {
      this.#failDecoding(error);
      return;
    }
    const progress = this.#reader.progress();
    if (progress === "over") this.#end();
    // Comments do not keep a finished turn open.
    if (progress !== "running" && this.#isOpen && (hasEvent || this.#stopLinger === null)) this.#linger();
    return taken;
  }

  readonly #onAbort = (): void => this.#fail(this.#failure("canceled", "The turn was stopped."));

  /** The response has ended: passes on the rest and settles. */
  #end(): void {
    if (this.#settled || this.#reader === null || this.#body === null) return;
    try {
      if (this.#reader.progress() !== "over") {
        this.#options.text.end();
        this.#body.end();
      }
      this.#reader.end();
      void this.#reader.flush(0);
    } catch (error) {
      this.#failDecoding(error);
      return;
    }
    if (this.#settle()) this.#options.resolve();
  }

  /** Settles after a silence, and closes the connection if its body is still open. */
  #linger(): void {
    // Restarts with each read: some gateways send a finish reason with every chunk.
    this.#stopLinger?.();
    this.#stopLinger = this.#options.clock.after(LINGER_MS, () => {
      if (this.#reader === null) this.#failWithStatus();
      else this.#end();
      this.#close();
    });
  }

  #failWithStatus(): void {
    if (this.#head === null) return;
    const bytes = Buffer.concat(this.#errorBody).subarray(0, ERROR_BODY_BYTES_MAX);
    // Invalid UTF-8 is tolerated: the status already says which error it is.
    this.#fail(this.#options.exchange.createError(this.#head, bytes.toString("utf8")));
  }

  /** Passes on the parts decoded before the error, then the error. */
  #failDecoding(error: unknown): void {
    if (this.#settled) return;
    try {
      void this.#reader?.flush(0);
    } catch (flushError) {
      this.#fail(flushError);
      return;
    }
    if (isUnreadable(error)) {
      this.#fail(this.#failure("provider_error", `The provider sent ${error.message}.`, error));
    } else this.#fail(error);
  }

  #fail(failure: unknown): void {
    if (!this.#settle()) return;
    this.#close();
    this.#options.reject(failure);
  }

  /** False if the exchange was already settled. */
  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    this.#options.exchange.signal.removeEventListener("abort", this.#onAbort);
    return true;
  }

  #close(): void {
    this.#stopLinger?.();
    this.#content?.close();
    this.#controller?.abort(new Error("the exchange is over"));
  }

  #networkError(cause: Error): UpstreamError {
    const wasSent = this.#controller !== null;
    const { code, message } = classifyLoss(cause, wasSent);
    const mayHaveRun = (wasSent && this.#options.isSentWhole()) || this.#options.exchange.hasRun === true;
    return this.#failure(code, message, cause, !mayHaveRun && this.#head === null);
  }

  #failure(code: UpstreamErrorCode, message: string, cause?: Error, certainlyNotRun = false): UpstreamError {
    const { provider } = this.#options;
    const { status = null, requestId = null } = this.#head ?? {};
    return new UpstreamError({ code, message, provider, status, requestId, certainlyNotRun, cause });
  }
}
