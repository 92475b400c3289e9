// Turns in the store: the history that a turn continues, its begin, its end.
import type { ResponseId } from "../../contract/ids.ts";
import type { RunningStatus } from "../../contract/statuses.ts";
import type { NewItem } from "../../core/history/history-item.ts";
import type {
  AmbiguousCall,
  ContinuedTurn,
  SettledCall,
  Turn,
  TurnEnd,
  TurnHead,
  WaitingCalls,
  WaitingCallsAction,
} from "../../core/turn/turn.ts";
import type { Claim, EarlierClaim } from "./claims.ts";
import type { NeedsRoom } from "./room.ts";
import type { LongTurn } from "../../core/turn/present-long.ts";
import type { Charge, HoldExtension, Shortage, TurnFunds } from "./funds.ts";
import type { Caller, View, Window } from "./histories.ts";

/** The history that a later turn continues. */
export interface Continuation {
  readonly view: View;
  /** Whether the view ends before its thread does; the turn then starts a private branch. */
  readonly isBranch: boolean;
  /** The last response in the view; null when there is none. */
  readonly latest: ContinuedTurn | null;
  /** The head that a user turn carries settings from: of the named response, or of a conversation's last one. */
  readonly carried: TurnHead | null;
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
       * The call_ids that the request answers. Of concurrent turns, the one that waits for one of them is continued.
       */
      readonly answeredCallIds: readonly string[];
    }
  | {
      readonly by: "response";
      readonly responseId: string;
      /**
       * The call_ids that the request answers: first of the calls of the named response; then of the turns that
       * continued it, and of concurrent turns, for call_ids that it has not used (docs/wire.md, Waiting calls).
       */
      readonly answeredCallIds: readonly string[];
    };

/** The place of a turn's items. */
export type Placement =
  /** A first turn without a conversation: a new private thread. */
  | { readonly kind: "new" }
  /**
   * The end of the view's thread. With `mayFork` (continued by previous_response_id), a turn that finds the thread
   * grown when it settles starts a branch instead, and so keeps the history that it saw.
   */
  | { readonly kind: "append"; readonly view: View; readonly mayFork: boolean }
  /** A new private thread that shares the view. */
  | { readonly kind: "branch"; readonly view: View };

export interface TurnBegin {
  readonly caller: Caller;
  readonly head: TurnHead;
  readonly status: "queued" | "in_progress";
  readonly placement: Placement;
  /** What the turn does about waiting calls; null: a user turn that no call keeps waiting. */
  readonly calls: WaitingCallsAction | null;
  /** Whether the caller streams: decides how long a retry with the same key finds the turn in progress. */
  readonly streamed: boolean;
  readonly claim: Claim | null;
  /** For the log of turns; null: the turn has none (turn-log.ts). */
  readonly endUser: string | null;
  readonly label: string | null;
  /** Null: the model is free. */
  readonly funds: TurnFunds | null;
}

/**
 * Whether a queued turn may run: it has `started`; it has `ended` meanwhile; it or its conversation was `deleted`; or
 * it is denied.
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
   * The calls that the turn answers, or that another turn answers now, have changed since its history was read; nothing
   * was stored.
   */
  | { readonly kind: "changed" };

/** What the log of turns keeps of a run besides its end. Durations are milliseconds since the turn began. */
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

export interface TurnSettle {
  readonly responseId: ResponseId;
  readonly end: TurnEnd;
  /** Null: the turn is settled without its run. */
  readonly record: RunRecord | null;
  /** The turn's input, stored before its output when the turn enters the history. */
  readonly input: readonly NewItem[];
  /** The output items of `end`, in the same order. */
  readonly output: readonly SettledItem[];
  /** Whether the turn enters the history; a failed one does not. Its output is readable by its id in any case. */
  readonly entersHistory: boolean;
}

/** An output item, and whether the history lists it: only the response shows a function call that was cut short. */
export interface SettledItem extends NewItem {
  readonly listed: boolean;
}

/** A turn that was running when its process died. */
export type Orphan = Pick<TurnHead, "id" | "createdAt">;

/** A running turn, for owners and operators: what it is, without its content. */
export interface RunningTurn {
  readonly id: ResponseId;
  readonly organizationId: string;
  readonly keyId: string;
  readonly keyName: string;
  readonly model: string;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly status: RunningStatus;
}

/** Running turns, and how many there are. */
export interface RunningTurns {
  readonly turns: readonly RunningTurn[];
  readonly inProgress: number;
  readonly queued: number;
}

export interface TurnStore {
  /** The result of an Idempotency-Key during its retention; null when the key is free. */
  findClaim(query: { organizationId: string; endpoint: string; key: string }): Promise<EarlierClaim | null>;

  /**
   * The history that a later turn continues; null for every cause of the uniform 404. A named response that is running
   * or failed is returned as `latest` with that status and no waiting calls.
   */
  findContinuation(query: { caller: Caller; name: ContinuationName }): Promise<Continuation | null>;

  /**
   * The end of a view, oldest first: items from the end backwards until their sizes exceed `sizeMax` (the crossing item
   * included), there is one more than `itemsMax`, or the start is reached. Deleted and unreadable items are left out
   * (an unreadable one counts, as in the view's size). Reasoning has no content: no model is sent it. Its turns are read
   * on request, and when it is not whole.
   */
  readWindow(query: { view: View; sizeMax: number; itemsMax: number; withTurns?: boolean }): Promise<Window>;

  /** Which of these item ids are live items of a view. */
  findItemsInView(query: { view: View; itemIds: readonly string[] }): Promise<readonly string[]>;

  /** Those of these call_ids whose live calls in a view all have live outputs there. */
  findAnsweredInView(query: { view: View; callIds: readonly string[] }): Promise<readonly string[]>;

  /**
   * Stores a turn as queued or in_progress (the latter with its dispatch mark), its claim and its hold: as much of the
   * hold as its budgets and the limit of a response leave. The balance must cover the whole hold. One turn at a time
   * answers a call, and no user turn begins in its thread meanwhile unless it drops calls; this transaction decides
   * between concurrent requests. A turn that fails or is withdrawn frees the calls that it answered or closed.
   */
  beginTurn(begin: TurnBegin): Promise<BeginOutcome>;

  /**
   * queued → in_progress, with the dispatch mark, unless what let the turn begin is gone: then nothing changes.
   * Repeating it changes nothing.
   */
  startTurn(query: { responseId: ResponseId }): Promise<StartOutcome>;

  /**
   * Extends the hold of a running turn by the amount that it needs now, whole or not at all, and by an amount ahead of
   * its need. The latter is limited to half of what the balance and each of its budgets have left then, so that other
   * turns find some. The limit of a response bounds both; it is not shared. `heldNano` is what the turn knows to hold:
   * what is held beyond it was granted by an attempt whose outcome got lost, and is granted now.
   */
  extendHold(query: {
    responseId: ResponseId;
    heldNano: bigint;
    neededNano: bigint;
    aheadNano: bigint;
  }): Promise<HoldExtension>;

  /**
   * Releases part of a running turn's hold; does nothing when the hold is no larger than that, or the turn no longer
   * runs.
   */
  releaseHold(query: { responseId: ResponseId; amountNano: bigint }): Promise<void>;

  /**
   * running → terminal, compare-and-set: items, end, history and charge in one transaction. Null when the turn was no
   * longer running. Only the billing record is kept of a turn that was deleted while it ran.
   */
  settleTurn(settle: TurnSettle): Promise<Charge | null>;

  /**
   * Withdraws a running turn as if it had never begun, with its claim and its hold (docs/wire.md, Provider failures).
   * True also when it does not exist (any more), so that it can be repeated; false when it has ended.
   */
  withdrawTurn(query: { responseId: ResponseId }): Promise<boolean>;

  /**
   * A visible response with its turn as it is now; null for every cause of the uniform 404. Unreadable items are
   * reported beside its output. Throws a StoreError (`failed`) when its head cannot be read.
   */
  readTurn(query: { caller: Caller; responseId: string }): Promise<Turn | null>;

  /** The status of a visible response's turn; null for every cause of the uniform 404. */
  readStatus(query: { caller: Caller; responseId: string }): Promise<Turn["status"] | null>;

  /** Like readTurn, if its content has no more than SHORT_BYTES; without the provider's state. */
  readShortTurn(query: { caller: Caller; responseId: string }): Promise<Turn | NeedsRoom | null>;

  /** Like readTurn, with the long parts as they are stored, and only if they have no more bytes than `room`. */
  readLongTurn(query: { caller: Caller; responseId: string; room: number }): Promise<LongTurn | NeedsRoom | null>;

  /**
   * Tombstones a visible response and its items. False when it is not visible; a repeated deletion by the owner returns
   * true. A running one must be settled first.
   */
  deleteResponse(query: { caller: Caller; responseId: string }): Promise<boolean>;

  /** The turns that were running when their process died, oldest first. */
  listOrphans(): Promise<readonly Orphan[]>;

  /** The turns that run on any node, of one organization or (null) of all: the `limit` oldest, oldest first. */
  listRunning(query: { organizationId: string | null; limit: number }): Promise<RunningTurns>;
}
