// Upkeep: deletes what has expired and erases content that was deleted long ago. @spec limits
import { DAY_MS, HOUR_MS } from "../../base/time.ts";
import { FAILURES_KEPT_DAYS } from "../../contract/manage/failure-counts.ts";
import { REJECTIONS_KEPT_DAYS } from "../../contract/manage/limits.ts";
import type { StoreUpkeep } from "../../ports/store/store.ts";
import type { Steps } from "../engine/transaction.ts";
import { deleteEventsBefore } from "../events/feed.ts";
import { deleteFailuresBefore } from "../events/failures.ts";
import { deleteRejectionsBefore } from "../events/rejections.ts";
import { emitEndingSecrets } from "../events/ending-secrets.ts";
import { deleteSecretsBefore } from "../accounts/keys.ts";
import { deleteClaimsBefore } from "./claims.ts";
import {
  ERASE_RESPONSES,
  eraseHistory,
  RESPONSE_BYTES,
  eraseWithin,
  isFull,
  type Piece,
  PIECE_BYTES,
} from "./erase-history.ts";
import { plainProcedure } from "../engine/procedure.ts";
import { many } from "../engine/statement.ts";

/** Rows deleted in one transaction, which bounds how long other writes wait. */
export const EXPIRED_BATCH = 2000;

/** Deletes up to EXPIRED_BATCH rows of each kind (store/port.ts repeats it for StoreUpkeep.forgetExpired). */
export const forgetExpired = plainProcedure(
  "write",
  function* (tx, { retentionHours, eventDays }: { retentionHours: number; eventDays: number }, nowMs) {
    const limit = EXPIRED_BATCH;
    yield* emitEndingSecrets(tx, nowMs);
    return {
      claims: (yield* deleteClaimsBefore(tx, { beforeMs: nowMs - retentionHours * HOUR_MS, limit })).changes,
      secrets: (yield* deleteSecretsBefore(tx, { beforeMs: nowMs, limit })).changes,
      rejections: (yield* deleteRejectionsBefore(tx, { beforeMs: nowMs - REJECTIONS_KEPT_DAYS * DAY_MS, limit }))
        .changes,
      failures: (yield* deleteFailuresBefore(tx, {
        beforeHour: Math.floor((nowMs - FAILURES_KEPT_DAYS * DAY_MS) / HOUR_MS),
        limit,
      })).changes,
      events: (yield* deleteEventsBefore(tx, { beforeMs: nowMs - eventDays * DAY_MS, limit })).changes,
    };
  },
);

type Erasure = Parameters<StoreUpkeep["eraseDeleted"]>[0];

/** StoreUpkeep.eraseDeleted. */
export const eraseDeleted = plainProcedure("write", function* (tx, { olderThanDays, batch }: Erasure, nowMs): Steps<{
  erased: number;
  more: boolean;
}> {
  const beforeMs = nowMs - olderThanDays * DAY_MS;
  let left: Piece = { rows: batch, bytes: PIECE_BYTES };
  left = yield* eraseItems(tx, { beforeMs }, left);
  left = yield* eraseResponses(tx, { beforeMs }, left);
  // Neither limit is negative: no more rows are erased than are left.
  const expired = yield* selectExpiredThreads(tx, { limit: left.rows });
  for (const { id } of [...expired, ...(yield* selectThreadsToErase(tx, { beforeMs, limit: left.rows }))]) {
    if (isFull(left)) break;
    left = yield* eraseHistory(tx, { id }, left);
  }
  return { erased: batch - left.rows, more: isFull(left) };
});

const eraseItems = eraseWithin<{ beforeMs: number }>(
  `select id, octet_length(body) as bytes
     from items
    where deleted_at_ms <= :beforeMs
      and deleted_at_ms is not null
      and body is not null
    order by deleted_at_ms`,
  `
  update items
     set body          = null,
         body_checksum = null,
         call_id       = null`,
);

const eraseResponses = eraseWithin<{ beforeMs: number }>(
  `select id, ${RESPONSE_BYTES} as bytes
     from responses
    where deleted_at_ms <= :beforeMs
      and deleted_at_ms is not null
      and head is not null
      and completed_at is not null
    order by deleted_at_ms`,
  ERASE_RESPONSES,
);

/** Deleted conversations that may still have content, of their own or of a branch. */
const selectThreadsToErase = many<{ beforeMs: number; limit: number }, { id: number }>(`
  select id
    from threads
   where deleted_at_ms <= :beforeMs
     and deleted_at_ms is not null
     and metadata is not null
     and retained = 1
   order by deleted_at_ms
   limit +:limit`);

/** Expired histories that may still have content (retention.ts). */
const selectExpiredThreads = many<{ limit: number }, { id: number }>(`
  select id
    from threads
   where retained = 0
     and metadata is not null
   order by id
   limit +:limit`);
