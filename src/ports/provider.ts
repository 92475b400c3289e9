// The interface to model providers.
import type { FailureCode } from "../contract/failures.ts";
import type { ResponseObject, Usage } from "../contract/resources.ts";
import type { CatalogModel } from "../core/models/catalog.ts";
import type { OutputPart } from "../core/response/output-part.ts";
import type { Prompt } from "../core/response/prompt.ts";

/** One step of a model's output, or information about the round, in the order of arrival. */
export type ProviderPart =
  | OutputPart
  /** Cumulative; the last one counts. */
  | { readonly type: "usage"; readonly usage: Usage }
  /** Round state, sent back unchanged in later rounds of this turn; the last one counts. */
  | { readonly type: "state"; readonly state: unknown }
  /**
   * What is kept of the round besides the output emitted so far; the last one counts. Sent whenever output waits, at
   * the first state, and when the rest has grown by 64 KiB.
   */
  | KeptPart
  | { readonly type: "warning"; readonly code: string; readonly message: string; readonly param: string | null }
  /** The last part. `incompleteReason` is null, or `max_output_tokens` or `content_filter`. */
  | { readonly type: "finished"; readonly incompleteReason: string | null };

export interface KeptPart {
  readonly type: "kept";
  /** Output that has arrived and cannot be emitted yet: reasoning, or the arguments of a call without a name. */
  readonly waitingBytes: number;
  readonly waitingCharacters: number;
  /** Part of them. */
  readonly waitingReasoning: number;
  /** Signatures and other data for the round state. */
  readonly stateBytes: number;
  /** Bytes read and not decoded yet: the beginning of a line. */
  readonly bufferedBytes: number;
}

export const NOTHING_KEPT: KeptPart = {
  type: "kept",
  waitingBytes: 0,
  waitingCharacters: 0,
  waitingReasoning: 0,
  stateBytes: 0,
  bufferedBytes: 0,
};

export interface ProviderCall {
  readonly model: CatalogModel;
  readonly prompt: Prompt;
  /** The same in all rounds and turns of a history; never sent. */
  readonly thread: string;
  /** A cache key for the provider: stable for a client's history without identifying either. Computed on demand. */
  readonly cacheKey: () => string;
  /** Aborted when the response is cancelled or times out; the connection is then closed at once. */
  readonly signal: AbortSignal;
  /** Called when a response has begun, of any status; a round may have several. */
  readonly onResponse?: OnResponse | undefined;
  /** Called when an answer begins and the round will not send the prompt again; the caller may drop its texts then. */
  readonly onTaken?: (() => void) | undefined;
}

/** Takes the status of a response, and the provider's own id of the request. */
export type OnResponse = (response: { readonly status: number; readonly requestId: string | null }) => void;

/** `reasoning` of a response; null: the request to the model does not mention it. */
export type ReportedReasoning = ResponseObject["reasoning"];

/**
 * Receives parts as they arrive, those of one network chunk together. Returns a promise when there are more parts than
 * can be processed at once or the output budget is used up: the provider must not be read until it resolves. It never
 * rejects.
 */
export type Receive = (parts: readonly ProviderPart[]) => void | Promise<void>;

/** A field of a request that cannot be sent, and what its client can do. */
export interface Unsupported {
  readonly param: "text" | "tools";
  readonly message: string;
}

/** Runs rounds of models. */
export interface Provider {
  readonly name: string;
  /** The reasoning settings that `run` will request for this prompt. */
  reasoningOf(model: CatalogModel, prompt: Prompt): ReportedReasoning;
  /** What of this prompt the provider has no way to send; null, or no such method, if it can send all of it. */
  unsupportedOf?(model: CatalogModel, prompt: Prompt): Unsupported | null;
  /** Passes the parts to `receive`. Resolves after the `finished` part; rejects with an UpstreamError. */
  run(call: ProviderCall, receive: Receive): Promise<void>;
  /** Closes connections; called once when the service stops. */
  close(): Promise<void>;
}

/** The configured providers by name. */
export interface ProviderRegistry {
  get(name: string): Provider;
  close(): Promise<void>;
}

export interface UpstreamErrorDetail {
  readonly code: FailureCode;
  /** For the client; contains no key and no header. */
  readonly message: string;
  readonly provider: string;
  readonly status?: number | null;
  readonly requestId?: string | null;
  /** How long the provider asks to wait: known for `provider_rate_limited` and for the statuses 503 and 529. */
  readonly retryAfterSeconds?: number | null;
  /**
   * Whether the provider certainly did not run the request: no connection could be made, it was lost before the request
   * was sent whole, or the status was 503 (docs/wire.md, Provider retries). Only then may the call be retried.
   */
  readonly certainlyNotRun: boolean;
  /**
   * Whether a retry would fail the same way: a fault of our account or configuration, or the provider forbids a retry.
   * False when not given.
   */
  readonly isLasting?: boolean;
  /** Whether the provider rejected the prompt as longer than its model takes. False when not given. */
  readonly isPromptTooLong?: boolean;
  /** Whether an earlier exchange of the round had a response: a part of the round has run. False when not given. */
  readonly hasRun?: boolean;
  readonly cause?: unknown;
}

/** A failure of the provider: becomes part of the response, or one of three HTTP errors. Never a bug of ours. */
export class UpstreamError extends Error {
  override readonly name = "UpstreamError";
  readonly code: FailureCode;
  readonly provider: string;
  readonly status: number | null;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
  readonly certainlyNotRun: boolean;
  readonly isLasting: boolean;
  readonly isPromptTooLong: boolean;
  readonly hasRun: boolean;

  readonly #detail: UpstreamErrorDetail;

  constructor(detail: UpstreamErrorDetail) {
    super(detail.message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.#detail = detail;
    this.code = detail.code;
    this.provider = detail.provider;
    this.status = detail.status ?? null;
    this.requestId = detail.requestId ?? null;
    this.retryAfterSeconds = detail.retryAfterSeconds ?? null;
    this.certainlyNotRun = detail.certainlyNotRun;
    this.isLasting = detail.isLasting ?? false;
    this.isPromptTooLong = detail.isPromptTooLong ?? false;
    this.hasRun = detail.hasRun ?? false;
  }

  /** The same failure in other words for the client. */
  withMessage(message: string): UpstreamError {
    return new UpstreamError({ ...this.#detail, message });
  }
}
