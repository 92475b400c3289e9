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
 * A thread's live items up to a position, newest first: those before which the sizes of the newer ones add up to `room`
 * at most. Sizes are added up before any body is read: a single item may be as long as a request's body.
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

/** The position of a live output with a call_id whose call was not deleted, if one is in a segment of its thread. */
export const selectOutputInSegment = one<Segment & { callId: string }, { position: number }>(`
  select found.position
    from items found
         left join items call on call.thread_id = found.thread_id
                             and call.public_id = found.answers
   where found.thread_id = :threadId
     and found.call_id = :callId
     and found.kind = 'function_call_output'
     and found.position <= :upTo
     and found.deleted_at_ms is null
     and call.deleted_at_ms is null
   limit 1`);

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

/**
 * Whether a live output answers a call, by its link; an output from before links answers the calls before it that have
 * its call_id.
 */
const HAS_OUTPUT = `exists (select 1
                       from items output
                      where output.thread_id = call.thread_id
                        and output.call_id = call.call_id
                        and output.kind = 'function_call_output'
                        and output.position > call.position
                        and output.position <= :upTo
                        and (output.answers = call.public_id or output.answers is null)
                        and output.deleted_at_ms is null)`;

/** The calls in a response's output without a later output in the thread, up to a position. */
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
     and not ${HAS_OUTPUT}
   order by call.position`);

/** The call_ids of the calls in a response's output. */
export const selectCallIds = many<{ threadId: number; first: number; last: number }, { readonly callId: string }>(`
  select call_id as callId
    from items
   where thread_id = :threadId
     and position between :first and :last
     and kind = 'function_call'
     and ordinal is not null
     and deleted_at_ms is null`);

/** A call without an output, with the public id of the user turn that closed it. */
interface UnansweredRow {
  readonly itemId: string;
  readonly callId: string;
  /** The rowid of the response that made it; null: a client added it. */
  readonly makerId: number | null;
  readonly closedBy: string | null;
}

const SELECT_UNANSWERED = `
  select call.public_id as itemId,
         call.call_id   as callId,
         maker.id       as makerId,
         (select closer.public_id
            from responses closer
           where closer.public_id = maker.calls_closed_by
             and closer.status <> 'failed') as closedBy
    from items call
    left join responses maker on maker.public_id = call.response_id and call.ordinal is not null
   where call.thread_id = :threadId
     and call.position <= :upTo
     and call.kind = 'function_call'
     and call.deleted_at_ms is null
     and not ${HAS_OUTPUT}`;

/** A live call of a thread by its item's id, if it has no output. */
export const selectUnansweredCall = one<
  { threadId: number; upTo: number; itemId: string },
  UnansweredRow
>(`${SELECT_UNANSWERED}
     and call.public_id = :itemId`);

/** Those of the `limit` latest live calls of a thread with a call_id that have no output, latest first. */
export const selectUnansweredCalls = many<
  { threadId: number; upTo: number; callId: string; limit: number },
  UnansweredRow
>(`${SELECT_UNANSWERED}
     and call.position in (select latest.position
                             from items latest
                            where latest.thread_id = :threadId
                              and latest.call_id = :callId
                              and latest.kind = 'function_call'
                              and latest.position is not null
                              and latest.deleted_at_ms is null
                            order by latest.position desc
                            limit +:limit)
   order by call.position desc`);

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
 * After a deletion, lets the first remaining item of the turn open it, if the item that did was deleted: the running
 * totals would not count the turn otherwise, and truncation could not tell where it begins.
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
