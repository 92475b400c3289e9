// Responses in the store: the history that one continues, its begin, its end.
import type { ResponseId } from "../../contract/ids.ts";
import type { RunningStatus } from "../../contract/statuses.ts";
import type { NewItem } from "../../core/history/history-item.ts";
import type {
  AmbiguousCall,
  ContinuedResponse,
  SettledCall,
  StoredResponse,
  ResponseEnd,
  ResponseHead,
  WaitingCalls,
  WaitingCallsAction,
} from "../../core/response/response.ts";
import type { Claim, EarlierClaim } from "./claims.ts";
import type { FailureSeries } from "./failures.ts";
import type { NeedsRoom } from "./room.ts";
import type { LongResponse } from "../../core/response/present-long.ts";
import type { Charge, HoldExtension, Shortage, ResponseFunds } from "./funds.ts";
import type { Caller, View, Window } from "./histories.ts";

/** The history that a later response continues. */
export interface Continuation {
  readonly view: View;
  /** Whether the view ends before its thread does; the response then starts a private branch. */
  readonly isBranch: boolean;
  /** The last response in the view; null when there is none. */
  readonly latest: ContinuedResponse | null;
  /** The head that a user turn carries settings from: of the named response, or of a conversation's last one. */
  readonly carried: ResponseHead | null;
  /** Other responses of the thread whose calls wait or are being answered; none on a branch. */
  readonly others: readonly WaitingCalls[];
  /** Calls that the request answers although they take no output any more; only some of them when there are many. */
  readonly settledCalls: readonly SettledCall[];
  /** The call_ids that the request answers and that several responses wait for. */
  readonly ambiguousCalls: readonly AmbiguousCall[];
}

/** The name by which a history is continued. */
export type ContinuationName =
  | {
      readonly by: "conversation";
      readonly conversationId: string;
      /**
       * The call_ids that the request answers. Of concurrent responses, the one that waits for one of them is
       * continued.
       */
      readonly answeredCallIds: readonly string[];
    }
  | {
      readonly by: "response";
      readonly responseId: string;
      /**
       * The call_ids that the request answers: first of the calls of the named response; then of the responses that
       * continued it, and of concurrent responses, for call_ids that it has not used (docs/wire.md, Waiting calls).
       */
      readonly answeredCallIds: readonly string[];
    };

/** The place of a response's items. */
export type Placement =
  /** A first response without a conversation: a new private thread. */
  | { readonly kind: "new" }
  /**
   * The end of the view's thread. With `mayFork` (continued by previous_response_id), a response that finds the thread
   * grown when it settles starts a branch instead, and so keeps the history that it saw.
   */
  | { readonly kind: "append"; readonly view: View; readonly mayFork: boolean }
  /** A new private thread that shares the view. */
  | { readonly kind: "branch"; readonly view: View };

export interface Withdrawal {
  readonly responseId: ResponseId;
  /** Why, to be counted; absent: its begin was never known. */
  readonly failure?: Pick<FailureSeries, "code" | "model" | "provider">;
  /** How long after its claim it can be withdrawn: then a retry on another node may have its id. Absent: always. */
  readonly waitMs?: number;
}

export interface ResponseBegin {
  readonly caller: Caller;
  readonly head: ResponseHead;
  readonly status: "queued" | "in_progress";
  readonly placement: Placement;
  /** What the response does about waiting calls; null: a user turn that no call keeps waiting. */
  readonly calls: WaitingCallsAction | null;
  /** Whether the caller streams: decides how long a retry with the same key finds the response in progress. */
  readonly streamed: boolean;
  readonly claim: Claim | null;
  /** For the log of turns: the `x-request-id` of the create. */
  readonly requestId: string;
  /** For the log too; null: the response has none (response-log.ts). */
  readonly endUser: string | null;
  readonly label: string | null;
  /** Null: the model is free. */
  readonly funds: ResponseFunds | null;
}

/**
 * Whether a queued response may run: it has `started`; it has `ended` meanwhile; it or its conversation was `deleted`;
 * or it is denied.
 */
export type StartOutcome = "started" | "ended" | "deleted" | StartDenial;

/** Its key was revoked, its organization suspended, its payment method removed or its plan stopped. */
export type StartDenial = "revoked" | "suspended" | "no_payment_method" | "no_plan";

export type BeginOutcome =
  /** `heldNano`: the reserved amount, if budgets leave less than the requested hold; absent: all of it. */
  | { readonly kind: "begun"; readonly heldNano?: bigint }
  /**
   * A budget has nothing left (for a free model: is spent), or the balance is less than the hold; nothing was stored.
   */
  | { readonly kind: "shortage"; readonly shortage: Shortage }
  /** A concurrent request with the same key claimed it first; nothing was stored. */
  | { readonly kind: "claimed"; readonly earlier: EarlierClaim }
  /** The key was revoked after it was checked; nothing was stored. */
  | { readonly kind: "revoked" }
  /** The history was deleted after it was read; nothing was stored. */
  | { readonly kind: "gone" }
  /**
   * The calls that the turn answers, or that another response answers now, have changed since its history was read;
   * nothing was stored.
   */
  | { readonly kind: "changed" };

/** What the log of turns keeps of a run besides its end. Durations are milliseconds since the response began. */
export interface RunRecord {
  /** Until it had its slot; null: it ended in the queue. */
  readonly queueMs: number | null;
  readonly firstOutputMs: number | null;
  readonly durationMs: number;
  /** How often its provider was called. */
  readonly attempts: number;
  /** Of the provider's last response; null: there was none, or its provider has no HTTP. */
  readonly providerStatus: number | null;
  readonly providerRequestId: string | null;
}

export interface ResponseSettle {
  readonly responseId: ResponseId;
  readonly end: ResponseEnd;
  /** Null: the response is settled without its run. */
  readonly record: RunRecord | null;
  /** The model that a failure is counted by, and a response without answer and charge; absent: that of the response. */
  readonly countedModel?: string;
  /** The prices of the target that ran it, in place of those that it began with; absent: it is charged by those. */
  readonly prices?: string | null;
  /** The response's input, stored before its output when the response enters the history. */
  readonly input: readonly NewItem[];
  /** The output items of `end`, in the same order. */
  readonly output: readonly SettledItem[];
  /** Whether the response enters the history; a failed one does not. Its output is readable by its id in any case. */
  readonly entersHistory: boolean;
}

/** An output item, and whether the history lists it: only the response shows a function call that was cut short. */
export interface SettledItem extends NewItem {
  readonly listed: boolean;
}

/** A response that was running or queued when its process died. */
export interface Orphan extends Pick<ResponseHead, "id" | "createdAt"> {
  /** Null: it was still queued. */
  readonly dispatchedAtMs: number | null;
}

/** A running response, for owners and operators: what it is, without its content. */
export interface RunningResponse {
  readonly id: ResponseId;
  readonly organizationId: string;
  readonly keyId: string;
  readonly keyName: string;
  readonly model: string;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly status: RunningStatus;
}

/** Running responses, and how many there are. */
export interface RunningResponses {
  readonly responses: readonly RunningResponse[];
  readonly inProgress: number;
  readonly queued: number;
}

export interface ResponseStore {
  /** The result of an Idempotency-Key during its retention; null when the key is free. */
  findClaim(query: { organizationId: string; endpoint: string; key: string }): Promise<EarlierClaim | null>;

  /**
   * The history that a later response continues; null for every cause of the uniform 404. A named response that has
   * not entered it is returned as `latest` with its status and no waiting calls.
   */
  findContinuation(query: { caller: Caller; name: ContinuationName }): Promise<Continuation | null>;

  /**
   * The end of a view, oldest first: items from the end backwards until their sizes exceed `sizeMax` (the crossing item
   * included), there is one more than `itemsMax`, or the start is reached. Deleted and unreadable items are left out
   * (an unreadable one counts, as in the view's size). Reasoning has no content: no model is sent it. Its responses are
   * read on request, and when it is not whole.
   */
  readWindow(query: { view: View; sizeMax: number; itemsMax: number; withTurns?: boolean }): Promise<Window>;

  /** Which of these item ids are live items of a view. */
  findItemsInView(query: { view: View; itemIds: readonly string[] }): Promise<readonly string[]>;

  /** Those of these call_ids whose live calls in a view all have live outputs there. */
  findAnsweredInView(query: { view: View; callIds: readonly string[] }): Promise<readonly string[]>;

  /**
   * Stores a response as queued or in_progress (the latter with its dispatch mark), its claim and its hold: as much of
   * the hold as its budgets and the limit of a response leave. The balance must cover the whole hold. One response at a
   * time answers a call, and no user turn begins in its thread meanwhile unless it drops calls; this transaction
   * decides between concurrent requests. A response that fails or is withdrawn frees the calls that it answered or
   * closed.
   */
  beginResponse(begin: ResponseBegin): Promise<BeginOutcome>;

  /**
   * queued → in_progress, with the dispatch mark, unless what let the response begin is gone: then nothing changes.
   * Repeating it changes nothing.
   */
  startResponse(query: { responseId: ResponseId }): Promise<StartOutcome>;

  /**
   * Extends the hold of a running response by the amount that it needs now, whole or not at all, and by an amount ahead
   * of its need. The latter is limited to half of what the balance and each of its budgets have left then, so that
   * other responses find some. The limit of a response bounds both; it is not shared. `heldNano` is what the response
   * knows to hold: what is held beyond it was granted by an attempt whose outcome got lost, and is granted now.
   */
  extendHold(query: {
    responseId: ResponseId;
    heldNano: bigint;
    neededNano: bigint;
    aheadNano: bigint;
  }): Promise<HoldExtension>;

  /**
   * Releases part of a running response's hold; does nothing when the hold is no larger than that, or the response no
   * longer runs.
   */
  releaseHold(query: { responseId: ResponseId; amountNano: bigint }): Promise<void>;

  /**
   * running → terminal, compare-and-set: items, end, history and charge in one transaction. Null when the response was
   * no longer running. Only the billing record is kept of a response that was deleted while it ran.
   */
  settleResponse(settle: ResponseSettle): Promise<Charge | null>;

  /**
   * Withdraws a running response as if it had never begun, with its claim and its hold
   * (docs/wire.md, Provider failures). True also when it does not exist (any more), so that it can be repeated; false when it has ended, or when it is too late.
   */
  withdrawResponse(query: Withdrawal): Promise<boolean>;

  /**
   * A visible response as it is now; null for every cause of the uniform 404. Unreadable items are
   * reported beside its output. Throws a StoreError (`failed`) when its head cannot be read.
   */
  readResponse(query: { caller: Caller; responseId: string }): Promise<StoredResponse | null>;

  /** The status of a visible response; null for every cause of the uniform 404. */
  readStatus(query: { caller: Caller; responseId: string }): Promise<StoredResponse["status"] | null>;

  /** Like readResponse, if its content has no more than SHORT_BYTES; without the provider's state. */
  readShortResponse(query: { caller: Caller; responseId: string }): Promise<StoredResponse | NeedsRoom | null>;

  /** Like readResponse, with the long parts as they are stored, and only if they have no more bytes than `room`. */
  readLongResponse(query: {
    caller: Caller;
    responseId: string;
    room: number;
  }): Promise<LongResponse | NeedsRoom | null>;

  /**
   * Tombstones a visible response and its items. False when it is not visible; a repeated deletion by the owner returns
   * true. A running one must be settled first.
   */
  deleteResponse(query: { caller: Caller; responseId: string }): Promise<boolean>;

  /** The responses that were running or queued when their process died, oldest first. */
  listOrphans(): Promise<readonly Orphan[]>;

  /** The responses that run on any node, of one organization or (null) of all: the `limit` oldest, oldest first. */
  listRunning(query: { organizationId: string | null; limit: number }): Promise<RunningResponses>;
}
