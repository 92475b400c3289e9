// Rows of function calls and their outputs: which calls of a thread have an output. See docs/decisions/history.md
import { many, one } from "../engine/statement.ts";
import type { Segment } from "../../ports/store/histories.ts";
import { sameCallId } from "./item-codec.ts";

/**
 * Whether a live output answers a call, by its link; an output from before links answers the calls before it that have
 * its call_id.
 */
const HAS_OUTPUT = `exists (select 1
                       from items output
                      where output.thread_id = call.thread_id
                        and ${sameCallId("output.call_id", "call.call_id")}
                        and output.kind = 'function_call_output'
                        and output.position > call.position
                        and output.position <= :upTo
                        and (output.answers = call.public_id or output.answers is null)
                        and output.deleted_at_ms is null)`;

/** Calls with one call_id that are looked at in a thread, latest first: a conversation may hold thousands. */
export const SAME_CALL_IDS_MAX = 20;

/** The latest live calls with a call_id in a segment of a thread, and whether that segment has their outputs. */
export const selectCallsInSegment = many<
  Segment & { callId: string },
  { readonly itemId: string; readonly isAnswered: 0 | 1 }
>(`
  select call.public_id as itemId,
         case when ${HAS_OUTPUT} then 1 else 0 end as isAnswered
    from items call
   where call.thread_id = :threadId
     and ${sameCallId("call.call_id", ":callId")}
     and call.kind = 'function_call'
     and call.position <= :upTo
     and call.deleted_at_ms is null
   order by call.position desc
   limit ${SAME_CALL_IDS_MAX}`);

/** A live output in a segment for a call of an earlier segment. */
export const selectOutputInSegment = one<Segment & { callId: string; itemId: string }, { position: number }>(`
  select position
    from items
   where thread_id = :threadId
     and ${sameCallId("call_id", ":callId")}
     and kind = 'function_call_output'
     and position <= :upTo
     and (answers = :itemId or answers is null)
     and deleted_at_ms is null
   limit 1`);

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

/** The call_ids of the calls in a response's output, and whether they have outputs up to a position of its thread. */
export const selectCallIds = many<
  { threadId: number; first: number; last: number; upTo: number },
  { readonly callId: string; readonly isAnswered: 0 | 1 }
>(`
  select call.call_id as callId,
         case when ${HAS_OUTPUT} then 1 else 0 end as isAnswered
    from items call
   where call.thread_id = :threadId
     and call.position between :first and :last
     and call.kind = 'function_call'
     and call.ordinal is not null
     and call.deleted_at_ms is null`);

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
                              and ${sameCallId("latest.call_id", ":callId")}
                              and latest.kind = 'function_call'
                              and latest.position is not null
                              and latest.deleted_at_ms is null
                            order by latest.position desc
                            limit +:limit)
   order by call.position desc`);
