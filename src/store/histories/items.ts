// Rows of items: appended to a thread, read by position, id or response.
import { ITEM_COLUMNS, type ItemColumns, type ItemRow, LISTED_BODY, type ListedRow } from "./item-codec.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { change, many, one, write } from "../engine/statement.ts";
import type { Segment } from "../../ports/store/histories.ts";
import type { ThreadEnd } from "./threads.ts";

/** Appends items to the end of a thread at contiguous positions. Returns the thread's new end; the caller stores it. */
export function* appendItems(
  tx: Transaction,
  append: {
    thread: ThreadEnd & { readonly id: number };
    items: readonly ItemColumns[];
    responseId: string | null;
  },
): Steps<ThreadEnd> {
  const { thread, items, responseId } = append;
  let { endPosition, sizeTotal, turnsTotal } = thread;
  for (const item of items) {
    endPosition += 1;
    sizeTotal += item.size;
    turnsTotal += item.opensTurn;
    const totals = { sizeTotal, turnsTotal };
    yield* insertItem(tx, { ...item, ...totals, threadId: thread.id, position: endPosition, responseId });
  }
  return { endPosition, sizeTotal, turnsTotal };
}

/** Stores output items that their response shows but no history contains. */
export function* insertUnlistedItems(
  tx: Transaction,
  keep: { threadId: number; items: readonly ItemColumns[]; responseId: string },
): Steps<void> {
  const { threadId, items, responseId } = keep;
  for (const item of items) {
    yield* insertItem(tx, { ...item, threadId, position: null, responseId, sizeTotal: 0, turnsTotal: 0 });
  }
}

const insertItem = write<
  ItemColumns & {
    threadId: number;
    position: number | null;
    responseId: string | null;
    sizeTotal: number;
    turnsTotal: number;
  }
>(`
  insert into items (public_id, thread_id, position, response_id, ordinal, kind, call_id, answers, opens_turn, carried, size, size_total, turns_total, body, body_checksum)
  values (:publicId, :threadId, :position, :responseId, :ordinal, :kind, :callId, :answers, :opensTurn, :carried, :size, :sizeTotal, :turnsTotal, :body, :bodyChecksum)`);

/** An item of a window, with its place. */
export type WindowRow = ItemRow & { readonly position: number };

/**
 * A thread's live items up to a position, newest first, until their sizes exceed `room`: the last one may go beyond it.
 * Sizes are added up before any body is read, because a single item may be as long as a request's body.
 */
export const selectWindowPage = many<{ threadId: number; upTo: number; room: number; limit: number }, WindowRow>(`
  select ${ITEM_COLUMNS},
         i.position      as position
    from (select sized.id,
                 sum(sized.size) over (order by sized.position desc) - sized.size as newer
            from (select id, position, size
                    from items
                   where thread_id = :threadId
                     and position <= :upTo
                     and deleted_at_ms is null
                   order by position desc
                   limit +:limit) sized) w
    join items i on i.id = w.id
   where w.newer <= :room
   order by i.position desc`);

/** The position of a live item, if it is in a segment of its thread. */
export const selectItemInSegment = one<Segment & { itemId: string }, { position: number }>(`
  select position
    from items
   where thread_id = :threadId
     and public_id = :itemId
     and position <= :upTo
     and deleted_at_ms is null`);

/** A live item of a thread by its id; its body only if that has no more bytes than there is room for. */
export const selectItem = one<
  { threadId: number; itemId: string; room: number },
  ListedRow & {
    readonly id: number;
    readonly position: number;
    readonly responseId: string | null;
    /** Length of the body, null once erased. */
    readonly bytes: number | null;
  }
>(`
  select i.id,
         i.position,
         i.response_id        as responseId,
         i.public_id          as publicId,
         octet_length(i.body) as bytes,
         case when octet_length(i.body) <= :room then ${LISTED_BODY} end  as body,
         case when octet_length(i.body) <= :room then i.body_checksum end as bodyChecksum
    from items i
   where i.thread_id = :threadId
     and i.public_id = :itemId
     and i.position is not null
     and i.deleted_at_ms is null`);

/** Tombstones one item. */
export const tombstoneItem = write<{ id: number; nowMs: number }>(`
  update items set deleted_at_ms = :nowMs where id = :id`);

/** Tombstones the items of a response that entered its thread. */
export const tombstoneItemsBetween = write<{ threadId: number; first: number; last: number; nowMs: number }>(`
  update items
     set deleted_at_ms = :nowMs
   where thread_id = :threadId
     and position between :first and :last
     and deleted_at_ms is null`);

/** Tombstones the unlisted output of a response. */
export const tombstoneUnlistedItems = write<{ responseId: string; nowMs: number }>(`
  update items
     set deleted_at_ms = :nowMs
   where response_id = :responseId
     and position is null
     and deleted_at_ms is null`);

/**
 * If the item that opened a turn was deleted, makes the next item of the turn open it. Otherwise the running totals
 * would miss the turn, and truncation could not tell where it begins.
 */
export function* transferTurnOpening(
  tx: Transaction,
  deleted: { threadId: number; first: number; last: number },
  next: TurnItem | undefined,
): Steps<void> {
  if (next === undefined || next.opensTurn === 1) return;
  if ((yield* clearTurnOpening(tx, deleted)).changes > 0) yield* setTurnOpening(tx, { id: next.id });
}

interface TurnItem {
  readonly id: number;
  readonly opensTurn: number;
}

/** The live item behind a position, if a client added it. */
export function* findNextAdded(
  tx: Transaction,
  place: { threadId: number; position: number },
): Steps<TurnItem | undefined> {
  const next = yield* selectNextLiving(tx, place);
  return next?.responseId === null ? next : undefined;
}

const selectNextLiving = one<{ threadId: number; position: number }, TurnItem & { responseId: string | null }>(`
  select id,
         opens_turn  as opensTurn,
         response_id as responseId
    from items
   where thread_id = :threadId
     and position > :position
     and deleted_at_ms is null
   order by position
   limit 1`);

/** The first item behind a position that belongs to a later round of a turn. */
export const selectNextOfTurn = one<{ threadId: number; turnId: string; position: number }, TurnItem>(`
  select i.id,
         i.opens_turn as opensTurn
    from responses r
    join items i on i.thread_id = r.thread_id and i.position = r.first_position
   where r.turn_id = :turnId
     and r.turn_id <> r.public_id
     and r.thread_id = :threadId
     and r.first_position > :position
     and r.deleted_at_ms is null
   order by r.first_position
   limit 1`);

const clearTurnOpening = change<{ threadId: number; first: number; last: number }>(`
  update items
     set opens_turn = 0
   where thread_id = :threadId
     and position between :first and :last
     and opens_turn = 1
     and deleted_at_ms is not null`);

const setTurnOpening = write<{ id: number }>(`
  update items set opens_turn = 1 where id = :id`);
