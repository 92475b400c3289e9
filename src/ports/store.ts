// What the service asks of its store. Every function is one transaction, all or nothing; the same contract test suite runs
// against every implementation (test/store/). Ids and times of what is stored arrive as arguments; only expiry (grace of a
// rotated secret, retention of an idempotency key, erasure) is judged by the store's own clock.
import type { ConversationId, ItemId, ResponseId } from "../contract/ids.ts";
import type { FunctionCall, Item } from "../contract/items.ts";
import type { Metadata, Usage } from "../contract/resources.ts";
import type { HistoryItem } from "../core/history/history-item.ts";
import type { Turn, TurnEnd, TurnHead } from "../core/turn/turn.ts";
import type { AccountStore } from "./accounts.ts";
import type { AuditStore } from "./audit.ts";
import type { ManagementStore } from "./management.ts";
import type { Charge, HoldExtension, Shortage, TurnFunds } from "./funds.ts";
import type { SpendingStore } from "./spending.ts";

/**
 * The store could not do it. `unavailable`: nothing was changed, later it may work (locked, full, unreachable). `failed`: the
 * store is damaged or answered nonsense. `lost`: a write to disk failed in a way after which no later write can be trusted.
 */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly kind: "unavailable" | "failed" | "lost";

  constructor(kind: StoreError["kind"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** Who asks: every read and write of a response or a conversation is bound to the key that created it, in the query itself. */
export interface Caller {
  readonly organizationId: string;
  readonly keyId: string;
}

/** Histories are threads. A stretch of one: its items up to and with a position (0: none). */
export interface Segment {
  readonly threadId: number;
  readonly upTo: number;
}

/** A history as its reader sees it: stretches of threads, oldest first; the last is the thread that is continued. */
export interface View {
  readonly segments: readonly Segment[];
  /** Characters that its live items count towards the window. */
  readonly size: number;
  /** How many turns it holds: its live items that open one (a running count, like the size). */
  readonly turns: number;
}

/** The end of a view, as much of it as was asked for. */
export interface Window {
  /** Oldest first. */
  readonly items: readonly HistoryItem[];
  /** How many more stand between them that could not be read. */
  readonly unreadable: number;
}

/** What a later turn continues. */
export interface Continuation {
  readonly view: View;
  /** Whether the view ends before its thread does: the turn then starts a private branch. */
  readonly isBranch: boolean;
  /** The last response in the view; null when there is none. */
  readonly latest: ContinuedTurn | null;
}

/** The response at the end of a continued history. */
export interface ContinuedTurn {
  readonly head: TurnHead;
  readonly status: Turn["status"];
  /** Of that round alone; zeros while it runs. */
  readonly usage: Usage;
  /** Its function calls that have no output in the view, in output order. */
  readonly waitingCalls: readonly FunctionCall[];
  /**
   * Opaque states of the rounds of its turn, oldest first, each with the response it belongs to. Empty when no call waits: only a
   * tool answer goes on with the turn.
   */
  readonly states: readonly RoundState[];
}

/** What a round's provider needs replayed in the later rounds of its turn, by the same model. */
export interface RoundState {
  readonly responseId: ResponseId;
  readonly model: string;
  readonly state: unknown;
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

/** An item to store. Its position and running total are the store's to give. */
export interface NewItem {
  readonly item: Item;
  readonly opensTurn: boolean;
  readonly carried: boolean;
  readonly size: number;
}

/** The claim of an Idempotency-Key, made in the transaction that does the work. @spec limits */
export interface Claim {
  /** Each endpoint keeps its own keys. */
  readonly endpoint: string;
  readonly key: string;
  /** SHA-256 of the canonical body and the path ids. */
  readonly fingerprint: string;
}

/** What an earlier request with the same organization, endpoint and key made. */
export interface Claimed {
  readonly fingerprint: string;
  /** The API key that made it. */
  readonly keyId: string;
  /** Milliseconds since 1970. */
  readonly claimedAtMs: number;
  readonly made: Made;
}

export type Made =
  | { readonly kind: "response"; readonly responseId: ResponseId; readonly streamed: boolean }
  | { readonly kind: "conversation"; readonly conversationId: ConversationId }
  | { readonly kind: "items"; readonly conversationId: ConversationId; readonly itemIds: readonly ItemId[] };

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

/** One item of a list, as the text of its JSON; an item that cannot be read is a value, not an exception. */
export type ListedItem =
  | { readonly readable: true; readonly id: ItemId; readonly text: string }
  | { readonly readable: false; readonly id: ItemId; readonly message: string };

export interface ConversationRecord {
  readonly id: ConversationId;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly metadata: Metadata;
}

export type ClaimedOr<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "claimed"; readonly claimed: Claimed };

export interface TurnStore {
  /** What an Idempotency-Key stands for, while it is kept; null when it is free. */
  findClaim(query: { organizationId: string; endpoint: string; key: string }): Promise<Claimed | null>;

  /** The history that a later turn continues; null for every cause of the uniform 404. The named response's own status counts: a running or failed one is returned as `latest` with that status and an empty list of waiting calls. */
  findContinuation(query: { caller: Caller; name: ContinuationName }): Promise<Continuation | null>;

  /**
   * The end of a view, oldest first: items from the end backwards until their sizes exceed `sizeMax` (the one that crosses it
   * included) or the start is reached. Deleted and unreadable items are left out (an unreadable one counts, as in the view's size).
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

export interface ConversationStore {
  createConversation(create: {
    caller: Caller;
    conversation: ConversationRecord;
    items: readonly NewItem[];
    claim: Claim | null;
  }): Promise<ClaimedOr<ConversationRecord>>;

  readConversation(query: { caller: Caller; conversationId: string }): Promise<ConversationRecord | null>;

  /** Replaces all labels; null when nothing is visible. */
  relabelConversation(update: {
    caller: Caller;
    conversationId: string;
    metadata: Metadata;
    claim: Claim | null;
  }): Promise<ClaimedOr<ConversationRecord | null>>;

  /** Tombstones a visible conversation with all in it. False when nothing is visible; a repeated delete by the owner is true. */
  deleteConversation(query: { caller: Caller; conversationId: string }): Promise<boolean>;

  /** The call_ids of those given that have a live function_call without a live output in a visible conversation; null when nothing is visible. */
  findUnansweredCalls(query: {
    caller: Caller;
    conversationId: string;
    callIds: readonly string[];
  }): Promise<readonly string[] | null>;

  /** Appends items; while calls of its last turn wait, none of them opens a turn. Null when the conversation is not visible. Answers the items added, in order. */
  addItems(add: {
    caller: Caller;
    conversationId: string;
    items: readonly NewItem[];
    claim: Claim | null;
  }): Promise<ClaimedOr<readonly HistoryItem[] | null>>;

  /**
   * A page of a visible conversation's live items after an item (exclusive) in the order asked. `missing`: no such conversation;
   * `no_such_item`: the conversation never had an item of that id (a deleted one keeps its place). `hasMore` tells whether a further
   * one follows the last returned; that one is then readable, so that a reader can go on after it.
   */
  listItems(query: {
    caller: Caller;
    conversationId: string;
    order: "asc" | "desc";
    after: string | null;
    limit: number;
  }): Promise<
    | { readonly kind: "page"; readonly items: readonly ListedItem[]; readonly hasMore: boolean }
    | { readonly kind: "missing" }
    | { readonly kind: "no_such_item" }
  >;

  /** One live item; null for every cause of the uniform 404. */
  readItem(query: { caller: Caller; conversationId: string; itemId: string }): Promise<ListedItem | null>;

  /** The live items among these ids of a visible conversation, in their order there; null when the conversation is not visible. */
  readItems(query: {
    caller: Caller;
    conversationId: string;
    itemIds: readonly string[];
  }): Promise<readonly ListedItem[] | null>;

  /** Removes an item that a client added. `of_response`: it belongs to a response and stays. A repeated delete is `missing`. */
  deleteItem(query: {
    caller: Caller;
    conversationId: string;
    itemId: string;
  }): Promise<
    | { readonly kind: "deleted"; readonly conversation: ConversationRecord }
    | { readonly kind: "missing" | "of_response" }
  >;
}

export interface StoreUpkeep {
  /** Throws a StoreError when the store cannot be read. */
  ping(): Promise<void>;
  /** Whether the store's keys were hashed with the root secret of this check value; the first that is asked for is kept. */
  fitsSecret(query: { checkValue: string }): Promise<boolean>;
  /** Forgets idempotency keys past their retention and secrets past their grace. */
  forgetExpired(query: { retentionHours: number }): Promise<{ claims: number; secrets: number }>;
  /**
   * Erases the content of what was deleted at least that many days ago: gone from the database file and from its journal when this
   * returns. Billing records (tokens, model, times) stay. At most `batch` rows a call; `more` tells whether some are left. After the
   * last of them the file may be written anew, which holds up writes; a large one only when `compactsAnySize` says so.
   */
  eraseDeleted(query: {
    olderThanDays: number;
    batch: number;
    compactsAnySize: boolean;
  }): Promise<{ erased: number; more: boolean }>;
  /** Finishes what is under way and lets the store go. */
  close(): Promise<void>;
}

export interface Store
  extends TurnStore,
    ConversationStore,
    AccountStore,
    SpendingStore,
    AuditStore,
    ManagementStore,
    StoreUpkeep {}
