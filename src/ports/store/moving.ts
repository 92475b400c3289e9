// Conversations that move between services: listed with their keys for an export, and imported item by item. For the
// command line alone: no client can list the conversations of a key.
import type { NewItem } from "../../core/history/history-item.ts";
import type { Actor } from "./audit.ts";
import type { ConversationRecord } from "./conversations.ts";
import type { Caller } from "./histories.ts";

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
