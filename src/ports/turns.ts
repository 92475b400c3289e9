// Turns as the store keeps them: what a turn continues, its begin, its end.
import type { ResponseId } from "../contract/ids.ts";
import type { NewItem } from "../core/history/history-item.ts";
import type { ContinuedTurn, Turn, TurnEnd, TurnHead } from "../core/turn/turn.ts";
import type { Claim, Claimed } from "./claims.ts";
import type { Charge, HoldExtension, Shortage, TurnFunds } from "./funds.ts";
import type { Caller, View, Window } from "./histories.ts";

/** What a later turn continues. */
export interface Continuation {
  readonly view: View;
  /** Whether the view ends before its thread does: the turn then starts a private branch. */
  readonly isBranch: boolean;
  /** The last response in the view; null when there is none. */
  readonly latest: ContinuedTurn | null;
}

/** By which name a history is continued. */
export type ContinuationName =
  | {
      readonly by: "conversation";
      readonly conversationId: string;
      /** The call_ids that the request answers: of turns that ran at once, the one that waits for one of them is continued. */
      readonly answeredCallIds: readonly string[];
    }
  | {
      readonly by: "response";
      readonly responseId: string;
      /**
       * The call_ids that the request answers. When the named response waits for none of them, the turn that continued the named
       * response and waits for one of them is continued instead (docs/wire.md, rule 5).
       */
      readonly answeredCallIds: readonly string[];
    };

/** Where a turn's items will stand. */
export type Placement =
  /** A first turn without a conversation: a new private thread. */
  | { readonly kind: "new" }
  /**
   * The end of the view's thread. With `mayFork` (continued by previous_response_id), a turn that finds the thread grown when it
   * settles starts a branch instead: it keeps the history that it saw.
   */
  | { readonly kind: "append"; readonly view: View; readonly mayFork: boolean }
  /** A new private thread that shares the view. */
  | { readonly kind: "branch"; readonly view: View };

export interface TurnBegin {
  readonly caller: Caller;
  readonly head: TurnHead;
  readonly status: "queued" | "in_progress";
  readonly placement: Placement;
  /** Whether the caller streams: decides how long a retry of the same key finds it in progress. */
  readonly streamed: boolean;
  readonly claim: Claim | null;
  /** What it may cost; null: its model is free. */
  readonly funds: TurnFunds | null;
}

export type BeginOutcome =
  /** `responseLimitNano`: what a single response of the organization may cost; absent when there is no such limit. */
  | { readonly kind: "begun"; readonly responseLimitNano?: bigint }
  /** A budget or the balance has too little left for its hold; nothing was stored. */
  | { readonly kind: "refused"; readonly shortage: Shortage }
  /** Somebody claimed the key first; nothing was stored. */
  | { readonly kind: "claimed"; readonly claimed: Claimed }
  /** The key was revoked or the history deleted since it was read; nothing was stored. */
  | { readonly kind: "gone" };

export interface TurnSettle {
  readonly responseId: ResponseId;
  readonly end: TurnEnd;
  /** The turn's input, stored before its output when the turn enters the history. */
  readonly input: readonly NewItem[];
  /** The end's output items; same order. */
  readonly output: readonly SettledItem[];
  /** Whether the turn enters the history: not when it failed. Its output is readable by its id all the same. */
  readonly entersHistory: boolean;
}

/** An output item, and whether the history lists it: a function call that was cut short is readable by its response alone. */
export interface SettledItem extends NewItem {
  readonly listed: boolean;
}

/** A turn that was running and belongs to nobody: its process died. Told by what settles it, whether or not the rest can be read. */
export interface Orphan {
  readonly head: Pick<TurnHead, "id" | "createdAt">;
}

export interface TurnStore {
  /** What an Idempotency-Key stands for, while it is kept; null when it is free. */
  findClaim(query: { organizationId: string; endpoint: string; key: string }): Promise<Claimed | null>;

  /** The history that a later turn continues; null for every cause of the uniform 404. The named response's own status counts: a running or failed one is returned as `latest` with that status and an empty list of waiting calls. */
  findContinuation(query: { caller: Caller; name: ContinuationName }): Promise<Continuation | null>;

  /**
   * The end of a view, oldest first: items from the end backwards until their sizes exceed `sizeMax` (the one that crosses it
   * included) or the start is reached. Deleted and unreadable items are left out (an unreadable one counts, as in the view's size). Of
   * reasoning only that it is there: no model is sent what it says.
   */
  readWindow(query: { view: View; sizeMax: number }): Promise<Window>;

  /** Which of these item ids are live items of a view. */
  findItemsInView(query: { view: View; itemIds: readonly string[] }): Promise<readonly string[]>;

  /** Stores a turn as queued or in_progress (the latter with its dispatch mark), its claim and what it holds of the balance. */
  beginTurn(begin: TurnBegin): Promise<BeginOutcome>;

  /** queued → in_progress, with the dispatch mark; false when it is no longer queued. */
  startTurn(query: { responseId: ResponseId }): Promise<boolean>;

  /**
   * Sets more aside for a running turn: as much as is wanted, or what the balance, its budgets and the limit of a response leave, but
   * not less than `leastNano`.
   */
  extendHold(query: { responseId: ResponseId; wantedNano: bigint; leastNano: bigint }): Promise<HoldExtension>;

  /**
   * running → terminal, compare-and-set: items, end, history and charge in one. Null when it was not running any more. Of a turn that
   * was deleted while it ran only the billing record is kept.
   */
  settleTurn(settle: TurnSettle): Promise<Charge | null>;

  /**
   * Takes a running turn back as if it had never begun, its claim and its hold included (docs/wire.md, rule 1). False when it was not
   * running.
   */
  withdrawTurn(query: { responseId: ResponseId }): Promise<boolean>;

  /**
   * A visible response with its turn as it is now; null for every cause of the uniform 404. Throws a StoreError (`failed`) when a part
   * of it cannot be read.
   */
  readTurn(query: { caller: Caller; responseId: string }): Promise<Turn | null>;

  /**
   * Tombstones a visible response and its items. False when nothing is visible; a repeated delete by the owner is true. A running
   * one must have been settled before.
   */
  deleteResponse(query: { caller: Caller; responseId: string }): Promise<boolean>;

  /** The turns that were running when their process died, oldest first. */
  listOrphans(): Promise<readonly Orphan[]>;
}
