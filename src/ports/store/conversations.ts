// Conversations and their items in the store. A key's are listed for its holder; those that move between services are
// listed and imported for the command line alone.
import type { ConversationId } from "../../contract/ids.ts";
import type { Metadata } from "../../contract/resources.ts";
import type { HistoryItem, NewItem, UnansweredCall } from "../../core/history/history-item.ts";
import type { ListedItem } from "../../core/history/item-list.ts";
import type { Claim, ClaimOutcome } from "./claims.ts";
import type { LogPlace } from "./response-log.ts";
import type { NeedsRoom } from "./room.ts";
import type { Caller } from "./histories.ts";
import type { Actor } from "./audit.ts";

export interface ConversationRecord {
  readonly id: ConversationId;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly metadata: Metadata;
}

/** A conversation as the holder of its key sees it in a list. */
export interface KeyConversation {
  readonly id: string;
  /** The first words of its first user message; null: it has none that is short. */
  readonly title: string | null;
  readonly createdAt: number;
  /** When its newest response began, Unix seconds. */
  readonly lastUsedAt: number;
  readonly responses: number;
  readonly chargedNano: bigint;
  /** Its newest response: where the next page begins, if it is the last one of its page. */
  readonly place: LogPlace;
}

export interface ConversationStore {
  /**
   * Conversations of a key in which responses ran, the last used first, from a place on. Reads the newest `readsMax`
   * responses at most.
   */
  listKeyConversations(query: {
    caller: Caller;
    before: LogPlace | null;
    limit: number;
    readsMax: number;
  }): Promise<readonly KeyConversation[]>;

  createConversation(create: {
    caller: Caller;
    conversation: ConversationRecord;
    items: readonly NewItem[];
    claim: Claim | null;
  }): Promise<ClaimOutcome<ConversationRecord>>;

  readConversation(query: { caller: Caller; conversationId: string }): Promise<ConversationRecord | null>;

  /** Replaces all labels; null when the conversation is not visible. */
  relabelConversation(update: {
    caller: Caller;
    conversationId: string;
    metadata: Metadata;
    claim: Claim | null;
  }): Promise<ClaimOutcome<ConversationRecord | null>>;

  /**
   * Tombstones a visible conversation with everything in it. False when it is not visible; a repeated deletion by the
   * owner returns true.
   */
  deleteConversation(query: { caller: Caller; conversationId: string }): Promise<boolean>;

  /**
   * The live calls with these call_ids that have no live output in a visible conversation, latest first by call_id; of
   * many with the same call_id only the latest are looked at. Null when the conversation is not visible.
   */
  findUnansweredCalls(query: {
    caller: Caller;
    conversationId: string;
    callIds: readonly string[];
  }): Promise<readonly UnansweredCall[] | null>;

  /**
   * Appends items; an output whose call is not among them answers a call of the conversation. While calls of the last
   * response wait, none of them opens a turn. Returns the added items in order; null when the conversation is not
   * visible. `changed`: one of the outputs answers no call that can take it; nothing was stored.
   */
  addItems(add: {
    caller: Caller;
    conversationId: string;
    items: readonly NewItem[];
    claim: Claim | null;
  }): Promise<ClaimOutcome<readonly HistoryItem[] | null> | { readonly kind: "changed" }>;

  /**
   * A page of a visible conversation's live items after an item (exclusive), in the given order. `missing`: no such
   * conversation; `no_such_item`: the conversation has no live item of that id. `hasMore` says whether more items
   * follow; the last item of such a page is readable, so that clients can continue after it. A page ends before its
   * items exceed 2 MiB, and a longer item is a page by itself; with `room`, only if it has no more bytes than that.
   */
  listItems(query: {
    caller: Caller;
    conversationId: string;
    order: "asc" | "desc";
    after: string | null;
    limit: number;
    room?: number;
  }): Promise<
    | { readonly kind: "page"; readonly items: readonly ListedItem[]; readonly hasMore: boolean }
    | NeedsRoom
    | { readonly kind: "missing" }
    | { readonly kind: "no_such_item" }
  >;

  /** One live item; null for every cause of the uniform 404. With `room`, only if it has no more bytes than that. */
  readItem(query: {
    caller: Caller;
    conversationId: string;
    itemId: string;
    room?: number;
  }): Promise<ListedItem | NeedsRoom | null>;

  /**
   * The live items among these ids in a visible conversation, in its order; null when it is not visible. With `room`,
   * only if they have no more bytes than that.
   */
  readItems(query: {
    caller: Caller;
    conversationId: string;
    itemIds: readonly string[];
    room?: number;
  }): Promise<readonly ListedItem[] | NeedsRoom | null>;

  /**
   * Deletes an item that a client added. `of_response`: it belongs to a response and stays. A repeated deletion is
   * `missing`.
   */
  deleteItem(query: {
    caller: Caller;
    conversationId: string;
    itemId: string;
  }): Promise<
    | { readonly kind: "deleted"; readonly conversation: ConversationRecord }
    | { readonly kind: "missing" | "of_response" }
  >;
}

/** A conversation, and the key that may continue it. */
export interface OwnedConversation extends ConversationRecord {
  readonly keyId: string;
}

export interface ConversationPage {
  readonly conversations: readonly OwnedConversation[];
  /** Where the next page begins, even if this one is empty; null: nothing is left. */
  readonly next: number | null;
}

/**
 * `taken`: the id is in use. `missing`: the conversation has been deleted since the items before were stored.
 * `revoked`: the key is.
 */
export type ImportOutcome =
  | { readonly kind: "held"; readonly items: number }
  | { readonly kind: "taken" }
  | { readonly kind: "missing" }
  | { readonly kind: "revoked" };

/** Which call an output answers. */
export interface OutputLink {
  readonly itemId: string;
  /** The id of the call's item, which may have been deleted; empty: of none. */
  readonly answers: string;
}

export interface MovingStore {
  /**
   * The conversations of an organization that are not deleted, or those of one of its keys, revoked or not, oldest
   * first: those after a place (0: from the beginning). Reads `readsMax` histories at most, whosever they are.
   */
  listConversations(query: {
    organizationId: string;
    keyId: string | null;
    after: number;
    readsMax: number;
  }): Promise<ConversationPage>;

  /** The links of those outputs of a conversation, among these items, that have one. */
  readLinks(query: {
    caller: Caller;
    conversationId: string;
    itemIds: readonly string[];
  }): Promise<readonly OutputLink[]>;

  /**
   * Stores items of a conversation behind `from` others; it is created with the first ones. With `isNew` there must not
   * be one with its id. Otherwise a conversation that has got more than `from` items, deleted ones counted, is left as
   * it is, so that a call may be repeated. `held` says how many it has got now.
   */
  importItems(add: {
    caller: Caller;
    conversation: ConversationRecord;
    from: number;
    isNew: boolean;
    items: readonly NewItem[];
  }): Promise<ImportOutcome>;

  /** Logs an export or an import of content. */
  logMove(move: {
    by: Actor;
    action: "conversation.export" | "conversation.import";
    organizationId: string;
    /** Null: all keys. */
    keyId: string | null;
    conversations: number;
    items: number;
  }): Promise<void>;
}
