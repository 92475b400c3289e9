// Conversations as the store keeps them, and their items.
import type { ConversationId } from "../contract/ids.ts";
import type { Metadata } from "../contract/resources.ts";
import type { HistoryItem, NewItem } from "../core/history/history-item.ts";
import type { ListedItem } from "../core/history/item-list.ts";
import type { Claim, ClaimedOr } from "./claims.ts";
import type { Caller } from "./histories.ts";

export interface ConversationRecord {
  readonly id: ConversationId;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly metadata: Metadata;
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
