// Conversations and their items: created, relabelled, listed, appended to, tombstoned. @spec resources/conversation
import type { ConversationId, ItemId, ResponseId } from "../../contract/ids.ts";
import type { Metadata } from "../../contract/resources.ts";
import type { HistoryItem, NewItem, UnansweredCall } from "../../core/history/history-item.ts";
import type { ListedItem } from "../../core/history/item-list.ts";
import type { ClaimOutcome } from "../../ports/store/claims.ts";
import type { ConversationRecord, ConversationStore } from "../../ports/store/conversations.ts";
import { ALL_BYTES, type NeedsRoom, SHORT_BYTES } from "../../ports/store/room.ts";
import { claimKey } from "./claims.ts";
import { decodeListed, encodeItem, type ItemColumns, type ListedRow } from "./item-codec.ts";
import { parseStored } from "../engine/stored-json.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { SAME_CALL_IDS_MAX, selectUnansweredCall, selectUnansweredCalls } from "./call-items.ts";
import {
  appendItems,
  findNextAdded,
  tombstoneItem,
  transferTurnOpening,
  selectItem,
  selectItemInSegment,
} from "./items.ts";
import { decodedProcedure, encodedProcedure, identity, plainProcedure } from "../engine/procedure.ts";
import { selectPage } from "./page.ts";
import { write } from "../engine/statement.ts";
import {
  addConversation,
  type ConversationQuery,
  findOwnConversation,
  findVisibleConversation,
  lockVisibleConversation,
  touchHistory,
  updateThreadEnd,
  type ThreadEnd,
  type ThreadRow,
} from "./threads.ts";
import { listAnswering, listWaiting } from "./waiting.ts";

/** Largest page that is read on the main thread; the reader's thread reads longer ones. */
const POINT_READ_ITEMS_MAX = 50;

type Create = Parameters<ConversationStore["createConversation"]>[0];
type Relabel = Parameters<ConversationStore["relabelConversation"]>[0];
type AddItems = Parameters<ConversationStore["addItems"]>[0];
type ListItems = Parameters<ConversationStore["listItems"]>[0];
type ReadItem = Parameters<ConversationStore["readItem"]>[0];
type ReadItems = Parameters<ConversationStore["readItems"]>[0];

/** ConversationStore.createConversation. */
export const createConversation = encodedProcedure({
  side: "write",
  encode: (create: Create) => ({ ...create, items: encodeAll(create.items) }),
  run: function* (tx, { caller, conversation, items, claim }, nowMs): Steps<ClaimOutcome<ConversationRecord>> {
    const result = { kind: "conversation", conversationId: conversation.id } as const;
    const claiming = yield* claimKey(tx, claim, { caller, nowMs }, result);
    if (claiming.kind === "claimed") return claiming;
    yield* appendTo(tx, yield* addConversation(tx, caller, conversation, nowMs), items);
    return { kind: "done", value: conversation };
  },
  decode: identity<ClaimOutcome<ConversationRecord>>,
});

/** ConversationStore.readConversation. */
export const readConversation = plainProcedure(
  "point",
  function* (tx, query: ConversationQuery): Steps<ConversationRecord | null> {
    const thread = yield* findVisibleConversation(tx, query);
    return thread === undefined ? null : decodeConversation(thread);
  },
);

/** ConversationStore.relabelConversation. */
export const relabelConversation = plainProcedure("write", function* (tx, update: Relabel, nowMs): Steps<
  ClaimOutcome<ConversationRecord | null>
> {
  const { caller, metadata, claim } = update;
  const thread = yield* lockVisibleConversation(tx, update);
  if (thread === undefined) return { kind: "done", value: null };
  // Its former labels may be unreadable.
  const record = { id: thread.publicId as ConversationId, createdAt: thread.createdAt, metadata };
  const result = { kind: "conversation", conversationId: record.id } as const;
  const claiming = yield* claimKey(tx, claim, { caller, nowMs }, result);
  if (claiming.kind === "claimed") return claiming;
  yield* updateMetadata(tx, { id: thread.id, metadata: JSON.stringify(metadata) });
  return { kind: "done", value: record };
});

/**
 * ConversationStore.deleteConversation: one row, whatever the length; the tombstone of the root hides all branches and
 * items.
 */
export const deleteConversation = plainProcedure(
  "write",
  function* (tx, query: ConversationQuery, nowMs): Steps<boolean> {
    const thread = yield* findOwnConversation(tx, query);
    if (thread === undefined) return false;
    if (thread.deletedAtMs === null) yield* tombstoneThread(tx, { id: thread.id, nowMs });
    return true;
  },
);

/** ConversationStore.findUnansweredCalls. */
export const findUnansweredCalls = plainProcedure(
  "read",
  function* (
    tx,
    query: ConversationQuery & { readonly callIds: readonly string[] },
  ): Steps<readonly UnansweredCall[] | null> {
    const thread = yield* findVisibleConversation(tx, query);
    if (thread === undefined) return null;
    const calls: UnansweredCall[] = [];
    const { id: threadId, endPosition: upTo } = thread;
    const answering = yield* listAnswering(tx, threadId);
    for (const callId of query.callIds) {
      const rows = yield* selectUnansweredCalls(tx, { threadId, upTo, callId, limit: SAME_CALL_IDS_MAX });
      for (const { itemId, makerId, closedBy } of rows) {
        const answeredBy = makerId === null ? null : (answering.get(makerId) ?? null);
        calls.push({
          callId,
          itemId,
          answeredBy: answeredBy as ResponseId | null,
          closedBy: closedBy as ResponseId | null,
        });
      }
    }
    return calls;
  },
);

type Added<Value> = ClaimOutcome<Value | null> | { readonly kind: "changed" };

/** ConversationStore.addItems. */
export const addItems = encodedProcedure({
  side: "write",
  encode: (add: AddItems) => ({ ...add, items: encodeAll(add.items) }),
  run: function* (tx, add, nowMs): Steps<Added<{ readonly isInsideTurn: boolean }>> {
    const { caller, items, claim } = add;
    const thread = yield* lockVisibleConversation(tx, add);
    if (thread === undefined) return { kind: "done", value: null };
    const answered = answeredElsewhere(items);
    const answering = yield* listAnswering(tx, thread.id);
    for (const itemId of answered) {
      const call = yield* selectUnansweredCall(tx, { threadId: thread.id, upTo: thread.endPosition, itemId });
      if (call === undefined || call.closedBy !== null || answering.has(call.makerId ?? 0)) return { kind: "changed" };
    }
    const itemIds = items.map(({ publicId }) => publicId as ItemId);
    const result = { kind: "items", conversationId: add.conversationId as ConversationId, itemIds } as const;
    const claiming = yield* claimKey(tx, claim, { caller, nowMs }, result);
    if (claiming.kind === "claimed") return claiming;
    // Items added while calls wait belong to the turn that waits.
    const isInsideTurn = (yield* listWaiting(tx, thread)).some(({ calls }) =>
      calls.some(({ publicId }) => !answered.has(publicId)),
    );
    yield* touchHistory(tx, thread, nowMs);
    yield* appendTo(tx, thread, isInsideTurn ? items.map((item) => ({ ...item, opensTurn: 0 })) : items);
    return { kind: "done", value: { isInsideTurn } };
  },
  decode: (outcome: Added<{ readonly isInsideTurn: boolean }>, { items }): Added<readonly HistoryItem[]> => {
    if (outcome.kind !== "done") return outcome;
    if (outcome.value === null) return { kind: "done", value: null };
    const { isInsideTurn } = outcome.value;
    const added = items.map((item) => ({ ...item, opensTurn: item.opensTurn && !isInsideTurn, responseId: null }));
    return { kind: "done", value: added };
  },
});

/** The calls that outputs answer and that are not among the items. */
function answeredElsewhere(items: readonly ItemColumns[]): ReadonlySet<string> {
  const own = new Set(items.map(({ publicId }) => publicId));
  return new Set(items.flatMap(({ answers }) => (answers !== null && !own.has(answers) ? [answers] : [])));
}

/** New items of a client as rows. */
export function encodeAll(items: readonly NewItem[]): ItemColumns[] {
  return items.map((item) => encodeItem(item, null));
}

/** Appends items of a client to a thread. */
export function* appendTo(
  tx: Transaction,
  thread: ThreadEnd & { readonly id: number },
  items: readonly ItemColumns[],
): Steps<void> {
  if (items.length === 0) return;
  const end = yield* appendItems(tx, { thread, items, responseId: null });
  yield* updateThreadEnd(tx, { ...end, id: thread.id, latestResponse: null, openEnds: null });
}

type Listed = Awaited<ReturnType<ConversationStore["listItems"]>>;

/** The side of a read that has so much room: the main thread reads nothing long. */
function sideOf(room: number): "point" | "read" {
  return room <= SHORT_BYTES ? "point" : "read";
}

/** A page with its unreadable items (port.ts builds ConversationStore.listItems on it). */
export const listItems = plainProcedure(
  ({ limit, room = ALL_BYTES }: ListItems) => (limit <= POINT_READ_ITEMS_MAX ? sideOf(room) : "read"),
  function* (tx, query: ListItems): Steps<Listed> {
    const thread = yield* findVisibleConversation(tx, query);
    if (thread === undefined) return { kind: "missing" };
    const { order, after, limit, room = ALL_BYTES } = query;
    let position = order === "asc" ? 0 : thread.endPosition + 1;
    if (after !== null) {
      const place = yield* selectItemInSegment(tx, { threadId: thread.id, upTo: thread.endPosition, itemId: after });
      if (place === undefined) return { kind: "no_such_item" };
      position = place.position;
    }
    const page = yield* selectPage(tx, { threadId: thread.id, order, position, limit, room });
    return page.kind === "page" ? { ...page, items: page.items.map(decodeListed) } : page;
  },
);

/** ConversationStore.readItem. */
export const readItem = plainProcedure(
  ({ room = ALL_BYTES }: ReadItem) => sideOf(room),
  function* (tx, query: ReadItem): Steps<ListedItem | NeedsRoom | null> {
    const thread = yield* findVisibleConversation(tx, query);
    if (thread === undefined) return null;
    const { itemId, room = ALL_BYTES } = query;
    const row = yield* selectItem(tx, { threadId: thread.id, itemId, room });
    if (row === undefined) return null;
    return row.bytes !== null && row.bytes > room ? { kind: "needs_room", bytes: row.bytes } : decodeListed(row);
  },
);

/** ConversationStore.readItems. */
export const readItems = plainProcedure("read", function* (tx, query: ReadItems): Steps<
  readonly ListedItem[] | NeedsRoom | null
> {
  const thread = yield* findVisibleConversation(tx, query);
  if (thread === undefined) return null;
  const { room = ALL_BYTES } = query;
  const rows: (ListedRow & { readonly position: number })[] = [];
  let bytes = 0;
  for (const itemId of new Set(query.itemIds)) {
    const row = yield* selectItem(tx, { threadId: thread.id, itemId, room: room - bytes });
    if (row === undefined) continue;
    rows.push(row);
    bytes += row.bytes ?? 0;
  }
  if (bytes > room) return { kind: "needs_room", bytes };
  return rows.sort((one, other) => one.position - other.position).map(decodeListed);
});

type Deleted =
  | { readonly kind: "deleted"; readonly conversation: ConversationRecord }
  | { readonly kind: "missing" | "of_response" };

type Tombstoned =
  | { readonly kind: "deleted"; readonly thread: ConversationColumns }
  | { readonly kind: "missing" | "of_response" };

/** ConversationStore.deleteItem. The conversation is decoded once the item is deleted: its labels may be unreadable. */
export const deleteItem = decodedProcedure(
  "write",
  function* (tx, query: ConversationQuery & { readonly itemId: string }, nowMs): Steps<Tombstoned> {
    const thread = yield* lockVisibleConversation(tx, query);
    if (thread === undefined) return { kind: "missing" };
    const item = yield* selectItem(tx, { threadId: thread.id, itemId: query.itemId, room: 0 });
    if (item === undefined) return { kind: "missing" };
    if (item.responseId !== null) return { kind: "of_response" };
    yield* tombstoneItem(tx, { id: item.id, nowMs });
    const { position } = item;
    const next = yield* findNextAdded(tx, { threadId: thread.id, position });
    yield* transferTurnOpening(tx, { threadId: thread.id, first: position, last: position }, next);
    return { kind: "deleted", thread };
  },
  (outcome): Deleted =>
    outcome.kind === "deleted" ? { kind: "deleted", conversation: decodeConversation(outcome.thread) } : outcome,
);

/** The columns of a thread's row that make a conversation. */
export type ConversationColumns = Pick<ThreadRow, "publicId" | "createdAt" | "metadata">;

/** The conversation of a row. Throws a StoreError (`failed`) when its metadata cannot be read. */
export function decodeConversation(thread: ConversationColumns): ConversationRecord {
  return {
    id: thread.publicId as ConversationId,
    createdAt: thread.createdAt,
    metadata: parseStored<Metadata>(thread.metadata ?? "{}", `metadata of ${thread.publicId}`),
  };
}

const updateMetadata = write<{ id: number; metadata: string }>(`
  update threads set metadata = :metadata where id = :id`);

const tombstoneThread = write<{ id: number; nowMs: number }>(`
  update threads set deleted_at_ms = :nowMs where id = :id`);
