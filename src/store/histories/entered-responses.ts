// Responses that entered their threads, with the short columns that the rules of waiting calls need.
import type { ResponseId } from "../../contract/ids.ts";
import type { StoredResponse } from "../../core/response/response.ts";
import { type PagedRows, readPaged } from "../engine/paged.ts";
import type { Transaction } from "../engine/transaction.ts";
import { many, one, write } from "../engine/statement.ts";

/** A live response that entered its thread, as the rules of waiting calls need it. */
export interface EnteredResponse {
  readonly id: number;
  readonly publicId: string;
  readonly threadId: number;
  readonly status: StoredResponse["status"];
  readonly turnId: string;
  readonly firstPosition: number;
  readonly lastPosition: number;
  /** Last position of its thread when it began. */
  readonly seenPosition: number;
  /** 1: a response that answered its calls was deleted. */
  readonly callsExcused: number;
  /** Public id of the user turn that closed its calls; null: they are open. */
  readonly closedBy: string | null;
}

const ENTERED_COLUMNS = `
         r.id,
         r.public_id      as publicId,
         r.thread_id      as threadId,
         r.status,
         r.turn_id        as turnId,
         r.first_position as firstPosition,
         r.last_position  as lastPosition,
         r.seen_head      as seenPosition,
         r.calls_excused  as callsExcused,
         (select closer.public_id
            from responses closer
           where closer.public_id = r.calls_closed_by
             and closer.status <> 'failed') as closedBy
    from responses r`;

/** A live response that entered its thread, by its rowid. */
export const selectEntered = one<{ id: number }, EnteredResponse>(`
  select ${ENTERED_COLUMNS}
   where r.id = :id
     and r.last_position is not null
     and r.deleted_at_ms is null`);

/** Responses read at once from the end of a thread: the rules rarely look further back. */
const ENTERED_PAGE = 16;

/** The live responses that entered a thread, latest first, read one at a time. */
export function pageEntered(tx: Transaction, threadId: number): PagedRows<EnteredResponse> {
  return readPaged(ENTERED_PAGE, (last, limit) =>
    selectEnteredBefore(tx, { threadId, before: last?.lastPosition ?? Number.MAX_SAFE_INTEGER, limit }),
  );
}

const selectEnteredBefore = many<{ threadId: number; before: number; limit: number }, EnteredResponse>(`
  select ${ENTERED_COLUMNS}
   where r.thread_id = :threadId
     and r.last_position < :before
     and r.deleted_at_ms is null
   order by r.last_position desc
   limit +:limit`);

/** A response that continues a turn. */
export interface LaterRound {
  readonly responseId: ResponseId;
  /** The first response of its turn. */
  readonly turnId: ResponseId;
}

/** The later rounds of turns with items after one position of a thread, up to another. */
export const selectLaterRounds = many<{ threadId: number; after: number; upTo: number }, LaterRound>(`
  select public_id as responseId,
         turn_id   as turnId
    from responses
   where thread_id = :threadId
     and last_position > :after
     and last_position <= :upTo
     and turn_id <> public_id
     and deleted_at_ms is null
   order by last_position`);

/** A live response of a turn that entered its thread. */
interface RoundRow {
  readonly id: number;
  readonly responseId: string;
  readonly model: string;
  readonly threadId: number;
  readonly lastPosition: number;
  /** Length of its state; null: its provider gave none. */
  readonly bytes: number | null;
  /** Null also where the states of later rounds have taken the room. */
  readonly state: string | null;
}

/** The rounds of a turn in all its branches, latest first, with the newest of their states that fit into `room` bytes. */
export const selectRounds = many<{ turnId: string; room: number }, RoundRow>(`
  select round.id,
         round.public_id     as responseId,
         round.model,
         round.thread_id     as threadId,
         round.last_position as lastPosition,
         round.bytes,
         case when round.bytes_from_here <= :room
              then (select provider_state from responses where id = round.id) end as state
    from (select live.*,
                 sum(bytes) over (order by id desc) as bytes_from_here
            from (select id, public_id, model, thread_id, last_position, octet_length(provider_state) as bytes
                    from responses
                   where public_id = :turnId
                     and last_position is not null
                     and deleted_at_ms is null
                   union all
                  select id, public_id, model, thread_id, last_position, octet_length(provider_state)
                    from responses
                   where turn_id = :turnId
                     and turn_id <> public_id
                     and last_position is not null
                     and deleted_at_ms is null) live) round
   order by round.id desc`);

/** The state of one round. */
export const selectState = one<{ id: number }, { readonly state: string | null }>(`
  select provider_state as state from responses where id = :id`);

/** The running responses of a thread that answer calls. */
export const selectAnswering = many<
  { threadId: number },
  { readonly answersId: number; readonly alsoAnswers: string | null; readonly publicId: string }
>(`
  select answering.answers_id   as answersId,
         answering.also_answers as alsoAnswers,
         answering.public_id    as publicId
    from responses answering
   where answering.thread_id = :threadId
     and answering.completed_at is null
     and answering.answers_id is not null`);

/** The rowids of the responses whose calls a response answers. */
export function answeredIds(response: {
  readonly answersId: number | null;
  readonly alsoAnswers: string | null;
}): number[] {
  const { answersId, alsoAnswers } = response;
  if (answersId === null) return [];
  return alsoAnswers === null ? [answersId] : [answersId, ...(JSON.parse(alsoAnswers) as number[])];
}

/** Whether a response is live. */
export const selectLive = one<{ id: number }, { readonly id: number }>(`
  select id
    from responses
   where id = :id
     and deleted_at_ms is null`);

/** Marks the calls of a response as closed by a user turn. */
export const markCallsClosed = write<{ id: number; closedBy: string }>(`
  update responses set calls_closed_by = :closedBy where id = :id`);

/** Marks the calls of a response as excused: no user turn has to wait for their outputs. */
export const excuseCalls = write<{ id: number }>(`
  update responses set calls_excused = 1 where id = :id`);

/**
 * The calls of the caller's live responses that continued a response, latest response first. Any number of responses
 * may have continued it, so their calls are read in one statement.
 */
export const selectContinuingCalls = many<
  { previousResponseId: string; organizationId: string; keyId: string },
  { readonly responseRowid: number; readonly callId: string }
>(`
  select r.id         as responseRowid,
         call.call_id as callId
    from responses r
    join items call
      on call.thread_id = r.thread_id
     and call.position between r.first_position and r.last_position
   where r.previous_response_id = :previousResponseId
     and r.organization_id = :organizationId
     and r.key_id = :keyId
     and r.deleted_at_ms is null
     and call.kind = 'function_call'
     and call.ordinal is not null
     and call.deleted_at_ms is null
   order by r.id desc`);
