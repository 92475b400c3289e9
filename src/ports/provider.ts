// What the service asks of a model provider, and what comes back.
import type { FailureCode } from "../contract/failures.ts";
import type { ResponseObject, Usage } from "../contract/resources.ts";
import type { CatalogModel } from "../core/catalog.ts";
import type { LadderPart } from "../core/turn/ladder.ts";
import type { Prompt } from "../core/turn/prompt.ts";

/** One step of a model's answer, in the order it happens: a part of its output, or what is told of the turn. */
export type ProviderPart =
  | LadderPart
  /** Cumulative; the last one counts. */
  | { readonly type: "usage"; readonly usage: Usage }
  /** Replayed verbatim in this turn's later rounds; the last one counts. */
  | { readonly type: "state"; readonly state: unknown }
  | { readonly type: "warning"; readonly code: string; readonly message: string; readonly param: string | null }
  /** The model has ended: by itself, or early for `reason` (`max_output_tokens`, `content_filter`). Last part. */
  | { readonly type: "finished"; readonly incompleteReason: string | null };

export interface ProviderCall {
  readonly model: CatalogModel;
  readonly prompt: Prompt;
  /** For what a provider keys its caches by: stable for a client, says nothing of it. Computed when asked for. */
  readonly cacheKey: () => string;
  /** Aborted when the turn is cancelled or over its time: the connection is closed at once. */
  readonly signal: AbortSignal;
}

/** What a response says of its reasoning; null: the model is told nothing of it. */
export type ReportedReasoning = ResponseObject["reasoning"];

/**
 * A provider runs one round of a model. Parts are handed over as they arrive, those of one network chunk together; `receive` is
 * synchronous and never asks the provider to pause. Resolves after the `finished` part; rejects with a ProviderFailure.
 */
export interface Provider {
  readonly name: string;
  /** What of the model's reasoning will apply to a round of this prompt, as `run` will ask for it. */
  reasoningOf(model: CatalogModel, prompt: Prompt): ReportedReasoning;
  run(call: ProviderCall, receive: (parts: readonly ProviderPart[]) => void): Promise<void>;
  /** Lets connections go; called once when the service stops. */
  close(): Promise<void>;
}

/** Finds the provider that serves a model. */
export interface ProviderRegistry {
  get(name: string): Provider;
  close(): Promise<void>;
}

export interface ProviderFailureDetail {
  readonly code: FailureCode;
  /** For the client; names no key and no header. */
  readonly message: string;
  readonly provider: string;
  readonly status?: number | null;
  readonly requestId?: string | null;
  readonly retryAfterSeconds?: number | null;
  /**
   * Whether the provider certainly did not run the request: no connection could be made, or it answered 500, 502, 503 or 504
   * before any output (docs/wire.md, rule 14). Only then may the run ask again.
   */
  readonly certainlyNotRun: boolean;
  readonly cause?: unknown;
}

/** A provider that failed: a fact inside the response, or one of three HTTP errors; never a bug. */
export class ProviderFailure extends Error {
  override readonly name = "ProviderFailure";
  readonly code: FailureCode;
  readonly provider: string;
  readonly status: number | null;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
  readonly certainlyNotRun: boolean;

  constructor(detail: ProviderFailureDetail) {
    super(detail.message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.code = detail.code;
    this.provider = detail.provider;
    this.status = detail.status ?? null;
    this.requestId = detail.requestId ?? null;
    this.retryAfterSeconds = detail.retryAfterSeconds ?? null;
    this.certainlyNotRun = detail.certainlyNotRun;
  }
}
