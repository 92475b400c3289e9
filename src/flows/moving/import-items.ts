// Stores imported conversations, in batches. docs/moving-conversations.md
import { type ConversationId, type IdKind, isIdOf, type ItemId } from "../../contract/ids.ts";
import type { Item } from "../../contract/items.ts";
import type { Metadata } from "../../contract/resources.ts";
import { placeInTurns } from "../../core/history/added-items.ts";
import type { OpenCalls } from "../../core/history/call-pairs.ts";
import { AccountError } from "../../ports/store/accounts.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Caller } from "../../ports/store/histories.ts";
import type { Store } from "../../ports/store/store.ts";

/** Items and characters of a batch, which is one transaction; a longer item has a batch of its own. */
const BATCH_ITEMS_MAX = 500;
const BATCH_CHARACTERS_MAX = 8 * 1024 * 1024;

/** A conversation to import, without its items. */
export interface ImportedConversation {
  readonly id: ConversationId;
  /** Whether an interrupted import has begun it. */
  readonly isBegun: boolean;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly metadata: Metadata;
}

interface Importing {
  readonly store: Pick<Store, "importItems">;
  readonly ids: Ids;
  /** The key that owns the conversation. */
  readonly caller: Caller;
  /** Items keep their ids, if these have the form of ours. */
  readonly keepsIds: boolean;
}

/** One conversation while its items arrive. */
export interface ConversationImport {
  /**
   * Takes the next item; stores a batch when it is full. `answers`: the id that an output's call had where it comes from;
   * null: it answers the call before it with its call_id.
   */
  add(item: Item, answers?: string | null): Promise<void>;
  /** Stores the rest. Returns how many items the conversation was given. */
  finish(): Promise<number>;
}

/**
 * Begins the import of a conversation, or goes on with one that was interrupted: with the same items in the same order,
 * batches that are stored are left as they are. Rejects with an AccountError when the id belongs to another
 * conversation or the conversation was deleted.
 */
export function importConversation(
  importing: Importing,
  { isBegun, ...conversation }: ImportedConversation,
): ConversationImport {
  const { store, caller, keepsIds } = importing;
  const usedIds = new Set<string>();
  const openCalls: OpenCalls = new Map();
  /** The ids of calls by those that they had. */
  const callIds = new Map<string, string>();
  let links = new Map<string, string>();
  let batch: Item[] = [];
  let characters = 0;
  let stored = 0;

  async function flush(): Promise<void> {
    const from = stored;
    const items = placeInTurns(batch, { opensFirst: from === 0, open: openCalls, links });
    const outcome = await store.importItems({ caller, conversation, from, isNew: from === 0 && !isBegun, items });
    if (outcome.kind === "taken") {
      throw new AccountError(`The id ${conversation.id} is that of another conversation, perhaps of a deleted one.`);
    }
    if (outcome.kind === "revoked") throw new AccountError(`The key ${caller.keyId} is revoked.`);
    if (outcome.kind === "missing")
      throw new AccountError(`The conversation ${conversation.id} was deleted meanwhile.`);
    if (outcome.items < from + items.length) {
      throw new AccountError(`The conversation ${conversation.id} has other items than the import.`);
    }
    stored = from + items.length;
    batch = [];
    links = new Map();
    characters = 0;
  }

  return {
    async add(item, answers = null) {
      const size = JSON.stringify(item).length;
      if (batch.length >= BATCH_ITEMS_MAX || (batch.length > 0 && characters + size > BATCH_CHARACTERS_MAX))
        await flush();
      const identified = withId(item, importing, usedIds);
      if (keepsIds) usedIds.add(identified.id);
      if (item.type === "function_call") callIds.set(item.id, identified.id);
      // A deleted call has no item any more, and its output answers no other one.
      if (answers !== null) links.set(identified.id, callIds.get(answers) ?? "");
      batch.push(identified);
      characters += size;
    },
    async finish() {
      // A conversation without items is created all the same.
      if (batch.length > 0 || stored === 0) await flush();
      return stored;
    },
  };
}

/** The item with its own id or a new one, in the place where the id was. */
function withId(item: Item, { ids, keepsIds }: Importing, usedIds: ReadonlySet<string>): Item {
  const kind: Exclude<IdKind, "response" | "conversation"> = item.type;
  if (keepsIds && isIdOf(kind, item.id) && !usedIds.has(item.id)) return item;
  const id: ItemId = ids.mint(kind);
  return { ...item, id };
}
