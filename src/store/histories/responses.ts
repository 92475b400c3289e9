// Rows of responses: inserted, settled, read, tombstoned; and which of them a caller may see (one query for the uniform
// 404).
import type { TerminalStatus } from "../../contract/statuses.ts";
import type { StoredResponse } from "../../core/response/response.ts";
import type { Caller } from "../../ports/store/histories.ts";
import type { Orphan } from "../../ports/store/responses.ts";
import { BILLING_HOUR } from "../money/budget-sums.ts";
import { type RecordColumns, USAGE_COLUMNS, type UsageColumns } from "./response-codec.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { change, lock, many, one, write } from "../engine/statement.ts";

/** A response's row as procedures need it. */
export interface ResponseRow extends UsageColumns {
  readonly id: number;
  readonly publicId: string;
  readonly threadId: number;
  readonly status: StoredResponse["status"];
  readonly turnId: string;
  readonly completedAt: number | null;
  readonly firstPosition: number | null;
  readonly lastPosition: number | null;
  /** Last position of its thread when it began. */
  readonly seenPosition: number;
  /** The response whose calls it answers; null for a user turn. */
  readonly answersId: number | null;
  /** Further ones, of concurrent responses: a JSON array of their rowids; null: none. */
  readonly alsoAnswers: string | null;
  readonly deletedAtMs: number | null;
  /** When the root of its thread was deleted. */
  readonly rootDeletedAtMs: number | null;
  readonly head: string | null;
  readonly ending: string | null;
  readonly providerState: string | null;
}

/** A response that entered its thread: its items have positions. */
type EnteredRow = ResponseRow & { readonly firstPosition: number; readonly lastPosition: number };

/** The columns of ResponseRow; `content` is the expression for a column of content. */
export const responseColumns = (content: (column: string) => string) => `
         r.id,
         r.public_id          as publicId,
         r.thread_id          as threadId,
         r.status,
         r.turn_id            as turnId,
         r.completed_at       as completedAt,
         r.first_position     as firstPosition,
         r.last_position      as lastPosition,
         r.seen_head          as seenPosition,
         r.answers_id         as answersId,
         r.also_answers       as alsoAnswers,
         r.deleted_at_ms      as deletedAtMs,
         coalesce(root.deleted_at_ms, t.deleted_at_ms) as rootDeletedAtMs,
         ${content("r.head")}           as head,
         ${content("r.ending")}         as ending,
         ${content("r.provider_state")} as providerState, ${USAGE_COLUMNS}`;

/** The tables of these columns, with the row as `r`. */
export const RESPONSE_TABLES = `
    from responses r
    join threads t on t.id = r.thread_id
    left join threads root on root.id = t.root_id`;

const RESPONSE_COLUMNS = `${responseColumns((column) => column)} ${RESPONSE_TABLES}`;

const selectOwnResponse = one<{ responseId: string; organizationId: string; keyId: string }, ResponseRow>(`
  select ${RESPONSE_COLUMNS}
   where r.public_id = :responseId
     and r.organization_id = :organizationId
     and r.key_id = :keyId`);

/** A response by its rowid. */
export const selectResponse = one<{ id: number }, ResponseRow>(`
  select ${RESPONSE_COLUMNS}
   where r.id = :id`);

/**
 * One of the responses that entered a thread after a position, of a turn or (null) of any; includes deleted ones.
 */
export const selectEnteredAfter = one<
  { threadId: number; position: number; turnId: string | null },
  { readonly id: number }
>(`
  select id
    from responses
   where thread_id = :threadId
     and last_position > :position
     and (cast(:turnId as text) is null or turn_id = :turnId)
   limit 1`);

/** The caller's response with that id, unless its conversation is deleted; the response itself may be deleted. */
export function* findOwnResponse(
  tx: Transaction,
  query: { caller: Caller; responseId: string },
): Steps<ResponseRow | undefined> {
  const row = yield* selectOwnResponse(tx, { ...query.caller, responseId: query.responseId });
  return row === undefined || row.rootDeletedAtMs !== null ? undefined : row;
}

/** The caller's live response with that id; undefined for every cause of the uniform 404. */
export function* findVisibleResponse(
  tx: Transaction,
  query: { caller: Caller; responseId: string },
): Steps<ResponseRow | undefined> {
  const row = yield* findOwnResponse(tx, query);
  return row === undefined || row.deletedAtMs !== null ? undefined : row;
}

/** Whether a response has entered its thread. */
export function hasEntered(row: ResponseRow): row is EnteredRow {
  return row.lastPosition !== null;
}

/** Stores a running response. */
export const insertResponse = write<{
  publicId: string;
  organizationId: string;
  keyId: string;
  threadId: number;
  status: string;
  owner: number;
  claimId: number | null;
  model: string;
  turnId: string;
  previousResponseId: string | null;
  seenPosition: number;
  mayFork: number;
  answersId: number | null;
  alsoAnswers: string | null;
  createdAt: number;
  dispatchedAtMs: number | null;
  memberId: string | null;
  billingHour: number;
  prices: string | null;
  heldNano: bigint;
  requestId: string;
  endUser: string | null;
  label: string | null;
  head: string;
}>(`
  insert into responses (
    public_id, organization_id, key_id, thread_id, status, owner,
    claim_id, model, turn_id, previous_response_id, seen_head, may_fork,
    answers_id, also_answers, created_at, dispatched_at_ms, member_id, billing_hour,
    prices, held_nano, request_id, end_user, label, head
  )
  values (
    :publicId, :organizationId, :keyId, :threadId, :status, :owner,
    :claimId, :model, :turnId, :previousResponseId, :seenPosition, :mayFork,
    :answersId, :alsoAnswers, :createdAt, :dispatchedAtMs, :memberId, :billingHour,
    :prices, :heldNano, :requestId, :endUser, :label, :head
  )`);

/** queued → in_progress with the dispatch mark. */
export const markStarted = change<{ responseId: string; nowMs: number }>(`
  update responses
     set status           = 'in_progress',
         dispatched_at_ms = coalesce(dispatched_at_ms, :nowMs)
   where public_id = :responseId
     and completed_at is null`);

/** A running response as its hold's extension, its settlement or its withdrawal needs it. */
export interface RunningRow {
  readonly id: number;
  readonly threadId: number;
  readonly organizationId: string;
  readonly keyId: string;
  readonly claimId: number | null;
  readonly model: string;
  readonly turnId: string;
  readonly seenPosition: number;
  readonly mayFork: number;
  readonly createdAt: number;
  readonly deletedAtMs: number | null;
  readonly memberId: string | null;
  readonly billingHour: number;
  readonly prices: string | null;
  /** As text: it may exceed the safe integers of a number. */
  readonly heldNano: string;
}

/** Lets no other transaction settle, withdraw or delete a response, or change its hold. */
export const lockResponse = lock<{ responseId: string }>(`
  select id from responses where public_id = :responseId`);

/** A running response by its public id. */
export const selectRunning = one<{ responseId: string }, RunningRow>(`
  select id,
         thread_id       as threadId,
         organization_id as organizationId,
         key_id          as keyId,
         claim_id        as claimId,
         model,
         turn_id         as turnId,
         seen_head       as seenPosition,
         may_fork        as mayFork,
         created_at      as createdAt,
         deleted_at_ms   as deletedAtMs,
         member_id       as memberId,
         ${BILLING_HOUR} as billingHour,
         prices,
         cast(held_nano as text) as heldNano
    from responses
   where public_id = :responseId
     and completed_at is null`);

/** running → terminal. */
export const updateSettled = write<
  UsageColumns &
    RecordColumns & {
      id: number;
      threadId: number;
      status: TerminalStatus;
      completedAt: number;
      firstPosition: number | null;
      lastPosition: number | null;
      chargedNano: bigint;
      savedNano: bigint;
      ending: string | null;
      providerState: string | null;
    }
>(`
  update responses
     set status             = :status,
         thread_id          = :threadId,
         completed_at       = :completedAt,
         first_position     = :firstPosition,
         last_position      = :lastPosition,
         input_tokens       = :inputTokens,
         cached_tokens      = :cachedTokens,
         cache_write_tokens = :cacheWriteTokens,
         output_tokens      = :outputTokens,
         reasoning_tokens   = :reasoningTokens,
         total_tokens       = :totalTokens,
         charged_nano       = :chargedNano,
         saved_nano         = :savedNano,
         failure_code       = :failureCode,
         queue_ms           = :queueMs,
         first_output_ms    = :firstOutputMs,
         duration_ms        = :durationMs,
         attempts           = :attempts,
         provider_status    = :providerStatus,
         provider_request_id = :providerRequestId,
         ending             = :ending,
         provider_state     = :providerState
   where id = :id`);

/** Adds to the hold of a running response. */
export const updateHeld = write<{ id: number; amountNano: bigint }>(`
  update responses set held_nano = held_nano + :amountNano where id = :id`);

/** Deletes the row of a withdrawn response. */
export const deleteResponseRow = write<{ id: number }>(`
  delete from responses where id = :id`);

/** Tombstones a response. */
export const tombstoneResponse = write<{ id: number; nowMs: number }>(`
  update responses set deleted_at_ms = :nowMs where id = :id`);

/** The rowid of a public id. */
export const selectResponseRowid = one<{ responseId: string }, { id: number }>(`
  select id from responses where public_id = :responseId`);

/** The running responses of other processes, oldest first. */
export const selectOrphans = many<{ instanceId: number }, Orphan>(`
  select public_id        as id,
         created_at       as createdAt,
         dispatched_at_ms as dispatchedAtMs
    from responses
   where completed_at is null
     and owner <> :instanceId
   order by created_at, responses.id`);
