// Conversations and their items: created, labelled, listed, extended, tombstoned. @spec resources/conversation
import type { ConversationId, ItemId } from "../../../contract/ids.ts";
import type { Metadata } from "../../../contract/resources.ts";
import type { HistoryItem, NewItem } from "../../../core/history/history-item.ts";
import type { ListedItem } from "../../../core/history/item-list.ts";
import type { Caller } from "../../../ports/histories.ts";
import type { Claim, ClaimedOr } from "../../../ports/claims.ts";
import type { ConversationRecord } from "../../../ports/conversations.ts";
import { claimKey } from "./claims.ts";
import { decodeListed, encodeItem, type ItemColumns, type ListedRow } from "./codec.ts";
import { parseStored } from "../database/stored-json.ts";
import type { Connection } from "../database/connection.ts";
import {
  appendItems,
  deleteItemRow,
  handOnOpening,
  selectItem,
  selectPosition,
  selectUnansweredCall,
} from "./items.ts";
import { asIs, coded, plain } from "../database/operation.ts";
import { selectPage } from "./page.ts";
import { change } from "../database/statement.ts";
import {
  findOwnConversation,
  findVisibleConversation,
  insertThread,
  moveHead,
  type ThreadHead,
  type ThreadRow,
} from "./threads.ts";
import { findWaiting } from "./waiting.ts";

/** Items of a page that is read where it is asked for; a longer one is read in the reader's thread. */
const POINT_READ_ITEMS_MAX = 50;

interface ConversationQuery {
  readonly caller: Caller;
  readonly conversationId: string;
}

interface Create {
  readonly caller: Caller;
  readonly conversation: ConversationRecord;
  readonly items: readonly NewItem[];
  readonly claim: Claim | null;
}

/** ConversationStore.createConversation. */
export const createConversation = coded({
  side: "write",
  encode: (create: Create) => ({ ...create, items: encodeAll(create.items) }),
  run: (connection, { caller, conversation, items, claim }, nowMs): ClaimedOr<ConversationRecord> => {
    const made = { kind: "conversation", conversationId: conversation.id } as const;
    const claiming = claimKey(connection, claim, { caller, nowMs }, made);
    if (claiming.kind === "claimed") return claiming;
    const { id } = insertThread(connection, {
      publicId: conversation.id,
      organizationId: caller.organizationId,
      keyId: caller.keyId,
      rootId: null,
      lineage: "[]",
      createdAt: conversation.createdAt,
      metadata: JSON.stringify(conversation.metadata),
    });
    addTo(connection, { id, headPosition: 0, sizeTotal: 0, turnsTotal: 0 }, items);
    return { kind: "done", value: conversation };
  },
  decode: asIs<ClaimedOr<ConversationRecord>>,
});

/** ConversationStore.readConversation. */
export const readConversation = plain("point", (connection, query: ConversationQuery): ConversationRecord | null => {
  const thread = findVisibleConversation(connection, query);
  return thread === undefined ? null : recordOf(thread);
});

/** ConversationStore.relabelConversation. */
export const relabelConversation = plain(
  "write",
  (
    connection,
    update: ConversationQuery & { readonly metadata: Metadata; readonly claim: Claim | null },
    nowMs,
  ): ClaimedOr<ConversationRecord | null> => {
    const { caller, metadata, claim } = update;
    const thread = findVisibleConversation(connection, update);
    if (thread === undefined) return { kind: "done", value: null };
    const record = recordOf(thread);
    const made = { kind: "conversation", conversationId: record.id } as const;
    const claiming = claimKey(connection, claim, { caller, nowMs }, made);
    if (claiming.kind === "claimed") return claiming;
    updateMetadata(connection, { id: thread.id, metadata: JSON.stringify(metadata) });
    return { kind: "done", value: { ...record, metadata } };
  },
);

/** ConversationStore.deleteConversation: one row, whatever its length; its root's tombstone hides all in it. */
export const deleteConversation = plain("write", (connection, query: ConversationQuery, nowMs): boolean => {
  const thread = findOwnConversation(connection, query);
  if (thread === undefined) return false;
  if (thread.deletedAtMs === null) tombstoneThread(connection, { id: thread.id, nowMs });
  return true;
});

/** ConversationStore.findUnansweredCalls. */
export const findUnansweredCalls = plain(
  "read",
  (connection, query: ConversationQuery & { readonly callIds: readonly string[] }): readonly string[] | null => {
    const thread = findVisibleConversation(connection, query);
    if (thread === undefined) return null;
    return query.callIds.filter(
      (callId) => selectUnansweredCall(connection, { threadId: thread.id, callId }) !== undefined,
    );
  },
);

interface AddItems extends ConversationQuery {
  readonly items: readonly NewItem[];
  readonly claim: Claim | null;
}

/** ConversationStore.addItems. */
export const addItems = coded({
  side: "write",
  encode: (add: AddItems) => ({ ...add, items: encodeAll(add.items) }),
  run: (connection, add, nowMs): ClaimedOr<{ readonly isInsideTurn: boolean } | null> => {
    const { caller, items, claim } = add;
    const thread = findVisibleConversation(connection, add);
    if (thread === undefined) return { kind: "done", value: null };
    const itemIds = items.map(({ publicId }) => publicId as ItemId);
    const made = { kind: "items", conversationId: add.conversationId as ConversationId, itemIds } as const;
    const claiming = claimKey(connection, claim, { caller, nowMs }, made);
    if (claiming.kind === "claimed") return claiming;
    // What is added while calls wait stands inside the turn that waits.
    const isInsideTurn = findWaiting(connection, thread, []) !== null;
    addTo(connection, thread, isInsideTurn ? items.map((item) => ({ ...item, opensTurn: 0 })) : items);
    return { kind: "done", value: { isInsideTurn } };
  },
  decode: (
    answer: ClaimedOr<{ readonly isInsideTurn: boolean } | null>,
    { items },
  ): ClaimedOr<readonly HistoryItem[] | null> => {
    if (answer.kind === "claimed") return answer;
    if (answer.value === null) return { kind: "done", value: null };
    const { isInsideTurn } = answer.value;
    const added = items.map((item) => ({ ...item, opensTurn: item.opensTurn && !isInsideTurn, responseId: null }));
    return { kind: "done", value: added };
  },
});

function encodeAll(items: readonly NewItem[]): ItemColumns[] {
  return items.map((item) => encodeItem(item, null));
}

function addTo(
  connection: Connection,
  thread: ThreadHead & { readonly id: number },
  items: readonly ItemColumns[],
): void {
  if (items.length === 0) return;
  const end = appendItems(connection, { thread, items, responseId: null });
  moveHead(connection, { ...end, id: thread.id });
}

interface ListQuery extends ConversationQuery {
  readonly order: "asc" | "desc";
  readonly after: string | null;
  readonly limit: number;
}

type Listed<Entry> =
  | { readonly kind: "page"; readonly items: readonly Entry[]; readonly hasMore: boolean }
  | { readonly kind: "missing" }
  | { readonly kind: "no_such_item" };

/** A page as it stands, unreadable items counted like the rest (listing.ts makes ConversationStore.listItems of it). */
export const listItems = coded({
  side: ({ limit }: ListQuery) => (limit <= POINT_READ_ITEMS_MAX ? "point" : "read"),
  encode: asIs<ListQuery>,
  run: (connection, query): Listed<ListedRow> => {
    const thread = findVisibleConversation(connection, query);
    if (thread === undefined) return { kind: "missing" };
    const { order, after, limit } = query;
    let position = order === "asc" ? 0 : thread.headPosition + 1;
    if (after !== null) {
      // A deleted item keeps its place, so that a reader is not lost when what it read last is deleted.
      const place = selectPosition(connection, { threadId: thread.id, itemId: after });
      if (place === undefined) return { kind: "no_such_item" };
      position = place.position;
    }
    return { kind: "page", ...selectPage(connection, { threadId: thread.id, order, position, limit }) };
  },
  decode: (page: Listed<ListedRow>): Listed<ListedItem> =>
    page.kind === "page" ? { ...page, items: page.items.map(decodeListed) } : page,
});

/** ConversationStore.readItem. */
export const readItem = coded({
  side: "point",
  encode: asIs<ConversationQuery & { readonly itemId: string }>,
  run: (connection, query): ListedRow | null => {
    const thread = findVisibleConversation(connection, query);
    if (thread === undefined) return null;
    return selectItem(connection, { threadId: thread.id, itemId: query.itemId }) ?? null;
  },
  decode: (row: ListedRow | null): ListedItem | null => (row === null ? null : decodeListed(row)),
});

/** ConversationStore.readItems. */
export const readItems = coded({
  side: "read",
  encode: asIs<ConversationQuery & { readonly itemIds: readonly string[] }>,
  run: (connection, query): ListedRow[] | null => {
    const thread = findVisibleConversation(connection, query);
    if (thread === undefined) return null;
    return [...new Set(query.itemIds)]
      .flatMap((itemId) => selectItem(connection, { threadId: thread.id, itemId }) ?? [])
      .toSorted((one, other) => one.position - other.position);
  },
  decode: (rows: ListedRow[] | null): readonly ListedItem[] | null => rows?.map(decodeListed) ?? null,
});

type Deleted =
  | { readonly kind: "deleted"; readonly conversation: ConversationRecord }
  | { readonly kind: "missing" | "of_response" };

/** ConversationStore.deleteItem. */
export const deleteItem = plain(
  "write",
  (connection, query: ConversationQuery & { readonly itemId: string }, nowMs): Deleted => {
    const thread = findVisibleConversation(connection, query);
    if (thread === undefined) return { kind: "missing" };
    const item = selectItem(connection, { threadId: thread.id, itemId: query.itemId });
    if (item === undefined) return { kind: "missing" };
    if (item.responseId !== null) return { kind: "of_response" };
    deleteItemRow(connection, { id: item.id, nowMs });
    handOnOpening(connection, { threadId: thread.id, first: item.position, last: item.position });
    return { kind: "deleted", conversation: recordOf(thread) };
  },
);

function recordOf(thread: ThreadRow): ConversationRecord {
  return {
    id: thread.publicId as ConversationId,
    createdAt: thread.createdAt,
    metadata: parseStored<Metadata>(thread.metadata ?? "{}", `metadata of ${thread.publicId}`),
  };
}

const updateMetadata = change<{ id: number; metadata: string }>(`
  update threads set metadata = :metadata where id = :id`);

const tombstoneThread = change<{ id: number; nowMs: number }>(`
  update threads set deleted_at_ms = :nowMs where id = :id`);
