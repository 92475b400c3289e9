// Rows of items: appended to a thread, read by position, id or response.
import {
  BODY_COLUMNS,
  type BodyRow,
  ITEM_COLUMNS,
  type ItemColumns,
  type ItemRow,
  LISTED_COLUMNS,
  type ListedRow,
} from "./codec.ts";
import type { Connection } from "../database/connection.ts";
import { change, each, many, one } from "../database/statement.ts";
import type { Segment } from "../../../ports/histories.ts";
import type { ThreadHead } from "./threads.ts";

/** Appends items to the end of a thread, contiguous, in their order; answers where the thread then ends (moving it is the caller's). */
export function appendItems(
  connection: Connection,
  append: {
    thread: ThreadHead & { readonly id: number };
    items: readonly ItemColumns[];
    responseId: string | null;
  },
): ThreadHead {
  const { thread, items, responseId } = append;
  let { headPosition, sizeTotal, turnsTotal } = thread;
  for (const item of items) {
    headPosition += 1;
    sizeTotal += item.size;
    turnsTotal += item.opensTurn;
    const totals = { sizeTotal, turnsTotal };
    insertItem(connection, { ...item, ...totals, threadId: thread.id, position: headPosition, responseId });
  }
  return { headPosition, sizeTotal, turnsTotal };
}

/** Keeps output beside its thread: readable by its response, part of no history. */
export function keepAside(
  connection: Connection,
  keep: { threadId: number; items: readonly ItemColumns[]; responseId: string },
): void {
  const { threadId, items, responseId } = keep;
  for (const item of items) {
    insertItem(connection, { ...item, threadId, position: null, responseId, sizeTotal: 0, turnsTotal: 0 });
  }
}

const insertItem = change<
  ItemColumns & {
    threadId: number;
    position: number | null;
    responseId: string | null;
    sizeTotal: number;
    turnsTotal: number;
  }
>(`
  insert into items (public_id, thread_id, position, response_id, ordinal, kind, call_id, opens_turn, carried, size, size_total, turns_total, body, body_checksum)
  values (:publicId, :threadId, :position, :responseId, :ordinal, :kind, :callId, :opensTurn, :carried, :size, :sizeTotal, :turnsTotal, :body, :bodyChecksum)`);

/** A thread's live items up to a position, newest first. */
export const scanBackwards = each<{ threadId: number; upTo: number }, ItemRow>(`
  select ${ITEM_COLUMNS}
    from items i
   where i.thread_id = :threadId
     and i.position <= :upTo
     and i.deleted_at_ms is null
   order by i.position desc`);

/** The place of an item that the thread's history holds or has held. */
export const selectPosition = one<{ threadId: number; itemId: string }, { position: number }>(`
  select position
    from items
   where thread_id = :threadId
     and public_id = :itemId
     and position is not null`);

/** Whether a stretch holds a live item; a row says yes. */
export const selectHeld = one<Segment & { itemId: string }, { position: number }>(`
  select position
    from items
   where thread_id = :threadId
     and public_id = :itemId
     and position <= :upTo
     and deleted_at_ms is null`);

/** A live item of a thread's history by its id. */
export const selectItem = one<
  { threadId: number; itemId: string },
  ListedRow & { readonly id: number; readonly position: number; readonly responseId: string | null }
>(`
  select i.id,
         i.position,
         i.response_id as responseId, ${LISTED_COLUMNS}
    from items i
   where i.thread_id = :threadId
     and i.public_id = :itemId
     and i.position is not null
     and i.deleted_at_ms is null`);

/** The output of a response that its thread's history holds: what stands between two positions, in output order. */
export const selectListedOutput = many<{ threadId: number; first: number | null; last: number | null }, OutputRow>(`
  select ${BODY_COLUMNS},
         i.ordinal
    from items i
   where i.thread_id = :threadId
     and i.position between :first and :last
     and i.ordinal is not null
   order by i.position`);

/** The output of a response that was kept aside, in output order. */
export const selectOutputAside = many<{ responseId: string }, OutputRow>(`
  select ${BODY_COLUMNS},
         i.ordinal
    from items i
   where i.response_id = :responseId
     and i.position is null
   order by i.ordinal`);

/** An item of a response's output with its place there. */
export type OutputRow = BodyRow & { readonly ordinal: number };

/** The calls in a response's output that no later output in the thread, up to a position, answers. */
export const selectWaitingCalls = many<
  { threadId: number; first: number; last: number; upTo: number },
  { readonly publicId: string; readonly callId: string; readonly body: string | null }
>(`
  select call.public_id as publicId,
         call.call_id   as callId,
         call.body
    from items call
   where call.thread_id = :threadId
     and call.position between :first and :last
     and call.kind = 'function_call'
     and call.ordinal is not null
     and call.deleted_at_ms is null
     and not exists (select 1
                       from items answer
                      where answer.thread_id = call.thread_id
                        and answer.call_id = call.call_id
                        and answer.kind = 'function_call_output'
                        and answer.position > call.position
                        and answer.position <= :upTo
                        and answer.deleted_at_ms is null)
   order by call.position`);

/** Whether a thread has a live call of that id without a live output after it; a row says yes. */
export const selectUnansweredCall = one<{ threadId: number; callId: string }, { position: number }>(`
  select call.position
    from items call
   where call.thread_id = :threadId
     and call.call_id = :callId
     and call.kind = 'function_call'
     and call.position is not null
     and call.deleted_at_ms is null
     and not exists (select 1
                       from items answer
                      where answer.thread_id = call.thread_id
                        and answer.call_id = call.call_id
                        and answer.kind = 'function_call_output'
                        and answer.position > call.position
                        and answer.deleted_at_ms is null)
   limit 1`);

/** The response of a thread's last live item that has one. */
export const selectLastResponseId = one<{ threadId: number }, { responseId: string }>(`
  select response_id as responseId
    from items
   where thread_id = :threadId
     and position is not null
     and response_id is not null
     and deleted_at_ms is null
   order by position desc
   limit 1`);

/** Tombstones one item. */
export const deleteItemRow = change<{ id: number; nowMs: number }>(`
  update items set deleted_at_ms = :nowMs where id = :id`);

/** Tombstones the items of a response that entered its thread. */
export const deleteItemsBetween = change<{ threadId: number; first: number; last: number; nowMs: number }>(`
  update items
     set deleted_at_ms = :nowMs
   where thread_id = :threadId
     and position between :first and :last
     and deleted_at_ms is null`);

/** Tombstones the output of a response that was kept aside. */
export const deleteItemsAside = change<{ responseId: string; nowMs: number }>(`
  update items
     set deleted_at_ms = :nowMs
   where response_id = :responseId
     and position is null
     and deleted_at_ms is null`);

/**
 * Has what is left of a turn open it, when the item that did stands in a stretch that was deleted: else truncation would take it for a part of
 * the turn before, and the running totals would count it as none.
 */
export function handOnOpening(
  connection: Connection,
  deleted: { threadId: number; first: number; last: number },
): void {
  const next = selectNextLiving(connection, { threadId: deleted.threadId, position: deleted.last });
  if (next === undefined || next.opensTurn === 1) return;
  if (takeOpening(connection, deleted).changes > 0) giveOpening(connection, { id: next.id });
}

const selectNextLiving = one<{ threadId: number; position: number }, { id: number; opensTurn: number }>(`
  select id,
         opens_turn as opensTurn
    from items
   where thread_id = :threadId
     and position > :position
     and deleted_at_ms is null
   order by position
   limit 1`);

const takeOpening = change<{ threadId: number; first: number; last: number }>(`
  update items
     set opens_turn = 0
   where thread_id = :threadId
     and position between :first and :last
     and opens_turn = 1`);

const giveOpening = change<{ id: number }>(`
  update items set opens_turn = 1 where id = :id`);
