// Upkeep: deletes what has expired and erases content that was deleted long ago. @spec limits
import { REJECTIONS_KEPT_DAYS } from "../../contract/manage/rejection-limits.ts";
import type { StoreUpkeep } from "../../ports/store/store.ts";
import type { Steps } from "../engine/transaction.ts";
import { deleteEventsBefore } from "../events/feed.ts";
import { deleteRejectionsBefore } from "../events/rejections.ts";
import { emitEndingSecrets } from "../events/ending-secrets.ts";
import { deleteSecretsBefore } from "../accounts/keys.ts";
import { deleteClaimsBefore } from "./claims.ts";
import { eraseHistory } from "./erase-history.ts";
import { encodedOperation, identity, plainOperation } from "../engine/operation.ts";
import { change, many, one, write } from "../engine/statement.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Rows deleted in one transaction, which bounds how long other writes wait. */
export const EXPIRED_BATCH = 2000;

/** StoreUpkeep.ping. */
export const ping = plainOperation("point", function* (tx): Steps<void> {
  yield* selectSchemaVersion(tx, {});
});

/** StoreUpkeep.fitsSecret. */
export const fitsSecret = plainOperation(
  "write",
  function* (tx, { checkValue }: { checkValue: string }): Steps<boolean> {
    yield* insertSecretCheck(tx, { checkValue });
    return (yield* selectSecretCheck(tx, {}))?.checkValue === checkValue;
  },
);

/** Deletes up to EXPIRED_BATCH rows of each kind (store/port.ts repeats it for StoreUpkeep.forgetExpired). */
export const forgetExpired = plainOperation(
  "write",
  function* (tx, { retentionHours, eventDays }: { retentionHours: number; eventDays: number }, nowMs) {
    const limit = EXPIRED_BATCH;
    yield* emitEndingSecrets(tx, nowMs);
    return {
      claims: (yield* deleteClaimsBefore(tx, { beforeMs: nowMs - retentionHours * HOUR_MS, limit })).changes,
      secrets: (yield* deleteSecretsBefore(tx, { beforeMs: nowMs, limit })).changes,
      rejections: (yield* deleteRejectionsBefore(tx, { beforeMs: nowMs - REJECTIONS_KEPT_DAYS * DAY_MS, limit }))
        .changes,
      events: (yield* deleteEventsBefore(tx, { beforeMs: nowMs - eventDays * DAY_MS, limit })).changes,
    };
  },
);

type Erasure = Parameters<StoreUpkeep["eraseDeleted"]>[0];

/** StoreUpkeep.eraseDeleted. */
export const eraseDeleted = encodedOperation({
  side: "write",
  encode: identity<Erasure>,
  run: function* (tx, { olderThanDays, batch }, nowMs): Steps<{ erased: number; more: boolean }> {
    const beforeMs = nowMs - olderThanDays * DAY_MS;
    let left = batch;
    const count = (changes: number): void => {
      left -= changes;
    };
    count((yield* eraseItems(tx, { beforeMs, limit: left })).changes);
    count((yield* eraseResponses(tx, { beforeMs, limit: left })).changes);
    // SQLite takes a negative limit for none, but the count never exceeds what was left.
    const expired = yield* selectExpiredThreads(tx, { limit: left });
    for (const { id } of [...expired, ...(yield* selectThreadsToErase(tx, { beforeMs, limit: left }))]) {
      if (left <= 0) break;
      count(yield* eraseHistory(tx, { id, limit: left }));
    }
    return { erased: batch - left, more: left <= 0 };
  },
  decode: identity<{ erased: number; more: boolean }>,
});

const selectSchemaVersion = one<Record<never, never>, { version: number }>(`
  select max(version) as version from schema_version`);

/** The first check value stays. */
const insertSecretCheck = write<{ checkValue: string }>(`
  insert into root_secret ("only", check_value)
  values (1, :checkValue)
  on conflict do nothing`);

const selectSecretCheck = one<Record<never, never>, { checkValue: string }>(`
  select check_value as checkValue
    from root_secret
   where "only" = 1`);

const eraseItems = change<{ beforeMs: number; limit: number }>(`
  update items
     set body          = null,
         body_checksum = null,
         call_id       = null
   where id in (select id
                  from items
                 where deleted_at_ms <= :beforeMs
                   and deleted_at_ms is not null
                   and body is not null
                 order by deleted_at_ms
                 limit +:limit)`);

const eraseResponses = change<{ beforeMs: number; limit: number }>(`
  update responses
     set head           = null,
         ending         = null,
         provider_state = null
   where id in (select id
                  from responses
                 where deleted_at_ms <= :beforeMs
                   and deleted_at_ms is not null
                   and head is not null
                   and completed_at is not null
                 order by deleted_at_ms
                 limit +:limit)`);

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
