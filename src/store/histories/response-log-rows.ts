// Rows of the log of turns, as values. Nothing of a response's content leaves the store's thread.
import { isJsonObject, parseJson } from "../../base/json.ts";
import type { Warning } from "../../contract/resources.ts";
import { FAILURE_RULES } from "../../core/explanations/failures.ts";
import type { ResponseEnd, TargetRun } from "../../core/response/response.ts";
import type { LoggedResponse, LoggedResponseDetail } from "../../ports/store/response-log.ts";
import { parsePriceSnapshot, decodeUsage, USAGE_COLUMNS, type UsageColumns } from "./response-codec.ts";

/** A response's row as a page lists it. */
export interface LoggedRow extends UsageColumns, Omit<LoggedResponse, "id" | "usage" | "chargedNano"> {
  readonly id: number;
  readonly publicId: string;
  readonly chargedNano: string | null;
}

/** The columns of LoggedRow, for a select. */
export const LOGGED_COLUMNS = `
         r.id,
         r.public_id          as publicId,
         r.status,
         r.model,
         r.key_id             as keyId,
         k.name               as keyName,
         r.member_id          as memberId,
         m.email              as memberEmail,
         t.public_id          as conversationId,
         r.request_id         as requestId,
         r.end_user           as endUser,
         r.label,
         r.created_at         as createdAt,
         r.completed_at       as completedAt,
         r.failure_code       as failureCode,
         r.first_output_ms    as firstOutputMs,
         r.duration_ms        as durationMs,
         cast(r.charged_nano as text) as chargedNano, ${USAGE_COLUMNS}`;

/** The tables of LOGGED_COLUMNS. */
export const LOGGED_JOINS = `
    from responses r
    join threads t on t.id = r.thread_id
    left join api_keys k on k.id = r.key_id
    left join members m on m.id = r.member_id`;

/** A response's row with everything that the log shows of one. */
export interface DetailRow extends LoggedRow {
  readonly previousResponseId: string | null;
  readonly turnId: string;
  readonly queueMs: number | null;
  readonly attempts: number | null;
  readonly providerStatus: number | null;
  readonly providerRequestId: string | null;
  readonly prices: string | null;
  readonly deletedAtMs: number | null;
  readonly head: string | null;
  readonly ending: string | null;
}

/** The columns of DetailRow, for a select. */
export const DETAIL_COLUMNS = `${LOGGED_COLUMNS},
         r.previous_response_id as previousResponseId,
         r.turn_id             as turnId,
         r.queue_ms            as queueMs,
         r.attempts,
         r.provider_status     as providerStatus,
         r.provider_request_id as providerRequestId,
         r.prices,
         r.deleted_at_ms       as deletedAtMs,
         r.head,
         r.ending`;

/** A response as a page lists it. */
export function decodeLogged(row: LoggedRow): LoggedResponse {
  return {
    id: row.publicId,
    status: row.status,
    model: row.model,
    keyId: row.keyId,
    keyName: row.keyName,
    memberId: row.memberId,
    memberEmail: row.memberEmail,
    conversationId: row.conversationId,
    requestId: row.requestId,
    endUser: row.endUser,
    label: row.label,
    createdAt: row.createdAt,
    completedAt: row.completedAt,
    failureCode: row.failureCode,
    firstOutputMs: row.firstOutputMs,
    durationMs: row.durationMs,
    usage: decodeUsage(row),
    chargedNano: row.chargedNano === null ? null : BigInt(row.chargedNano),
  };
}

/** A response with everything that the log shows of one, but its transfers. */
export function decodeDetail(row: DetailRow): Omit<LoggedResponseDetail, "transfers"> {
  const head = readNotes(row.head);
  const ending = readNotes(row.ending);
  return {
    ...decodeLogged(row),
    queueMs: row.queueMs,
    previousResponseId: row.previousResponseId,
    turnId: row.turnId,
    attempts: row.attempts,
    providerStatus: row.providerStatus,
    providerRequestId: row.providerRequestId,
    target: ending.ranAt?.target ?? null,
    targetStartedMs: ending.ranAt?.startedMs ?? null,
    failedAttempts: ending.ranAt?.attempts ?? [],
    incompleteReason: ending.incompleteReason ?? null,
    toolCallsDropped: ending.toolCallsDropped ?? 0,
    warnings: [...(head.warnings ?? []), ...(ending.warnings ?? [])].map(({ code, param }) => ({ code, param })),
    prices: row.prices === null ? null : parsePriceSnapshot(row.prices),
    deletedAtMs: row.deletedAtMs,
    failureMessage: readMessage(row, ending),
  };
}

/** The message of a failure, unless it may quote the request. */
function readMessage({ failureCode }: DetailRow, { error }: Notes): string | null {
  if (failureCode === null || FAILURE_RULES[failureCode].mayQuote === true) return null;
  return error?.message ?? null;
}

/** What the log shows of a stored head or ending; nothing of one that was erased or cannot be read. */
interface Notes {
  readonly error?: ResponseEnd["error"];
  readonly warnings?: readonly Warning[];
  readonly incompleteReason?: string | null;
  readonly toolCallsDropped?: number;
  readonly ranAt?: TargetRun;
}

function readNotes(text: string | null): Notes {
  const parsed = text === null ? null : parseJson(text);
  return isJsonObject(parsed) ? parsed : {};
}
