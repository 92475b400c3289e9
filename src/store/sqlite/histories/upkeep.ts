// Upkeep: what expires is forgotten, what was deleted long ago is erased. @spec limits
import { deleteSecretsBefore } from "../accounts/keys.ts";
import { deleteClaimsBefore } from "./claims.ts";
import { finishErasure } from "../database/compaction.ts";
import { coded, asIs, plain } from "../database/operation.ts";
import { change, many, one } from "../database/statement.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Rows forgotten in one transaction: others wait no longer than for these. */
export const FORGOTTEN_AT_ONCE = 2000;

/** StoreUpkeep.ping. */
export const ping = plain("point", (connection): void => {
  selectSchemaVersion(connection, {});
});

/** StoreUpkeep.fitsSecret. */
export const fitsSecret = plain("write", (connection, { checkValue }: { checkValue: string }): boolean => {
  insertSecretCheck(connection, { checkValue });
  return selectSecretCheck(connection, {})?.checkValue === checkValue;
});

/** Forgets up to FORGOTTEN_AT_ONCE of each kind (open.ts repeats it for StoreUpkeep.forgetExpired). */
export const forgetExpired = plain("write", (connection, { retentionHours }: { retentionHours: number }, nowMs) => {
  const limit = FORGOTTEN_AT_ONCE;
  return {
    claims: deleteClaimsBefore(connection, { beforeMs: nowMs - retentionHours * HOUR_MS, limit }).changes,
    secrets: deleteSecretsBefore(connection, { beforeMs: nowMs, limit }).changes,
  };
});

interface Erasure {
  readonly olderThanDays: number;
  readonly batch: number;
  readonly compactsAnySize: boolean;
}

/** StoreUpkeep.eraseDeleted. */
export const eraseDeleted = coded({
  side: "write",
  encode: asIs<Erasure>,
  run: (connection, { olderThanDays, batch }, nowMs): { erased: number; more: boolean } => {
    const beforeMs = nowMs - olderThanDays * DAY_MS;
    let left = batch;
    const spend = (changes: number): void => {
      left -= changes;
    };
    spend(eraseItems(connection, { beforeMs, limit: left }).changes);
    spend(eraseResponses(connection, { beforeMs, limit: left }).changes);
    // A limit below zero would be none: what is spent never exceeds what was left.
    for (const { id } of selectThreadsToErase(connection, { beforeMs, limit: left })) {
      // Nobody sees a position or a size of a deleted conversation again: its items' rows go whole.
      spend(removeItemsOf(connection, { id, limit: left }).changes);
      spend(eraseResponsesOf(connection, { id, limit: left }).changes);
      if (left <= 0) break;
      if (selectUnerasedOf(connection, { id }) === undefined) spend(eraseMetadata(connection, { id }).changes);
      if (left <= 0) break;
    }
    return { erased: batch - left, more: left <= 0 };
  },
  decode: asIs<{ erased: number; more: boolean }>,
  finish: (connection, { erased, more }, { compactsAnySize }) =>
    finishErasure(connection, { hasErased: erased > 0, isLast: !more, compactsAnySize }),
});

const selectSchemaVersion = one<Record<never, never>, { version: number }>(`
  select max(version) as version from schema_version`);

/** The first one stays. */
const insertSecretCheck = change<{ checkValue: string }>(`
  insert into root_secret (only, check_value)
  values (1, :checkValue)
  on conflict do nothing`);

const selectSecretCheck = one<Record<never, never>, { checkValue: string }>(`
  select check_value as checkValue
    from root_secret
   where only = 1`);

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

/** Deleted conversations whose content, or a branch's, may still be there. */
const selectThreadsToErase = many<{ beforeMs: number; limit: number }, { id: number }>(`
  select id
    from threads
   where deleted_at_ms <= :beforeMs
     and deleted_at_ms is not null
     and metadata is not null
   order by deleted_at_ms
   limit +:limit`);

/** A conversation's thread and the branches that it is the root of. */
const FAMILY = "select id from threads where id = :id union all select id from threads where root_id = :id";

const removeItemsOf = change<{ id: number; limit: number }>(`
  delete from items
   where id in (select id from items where thread_id in (${FAMILY}) limit +:limit)`);

/** Its running turns' heads stay until they have settled. */
const eraseResponsesOf = change<{ id: number; limit: number }>(`
  update responses
     set head           = null,
         ending         = null,
         provider_state = null
   where id in (select id
                  from responses
                 where thread_id in (${FAMILY})
                   and head is not null
                   and completed_at is not null
                 limit +:limit)`);

const selectUnerasedOf = one<{ id: number }, { id: number }>(`
  select id
    from responses
   where thread_id in (${FAMILY})
     and head is not null
   limit 1`);

const eraseMetadata = change<{ id: number }>(`
  update threads set metadata = null where id = :id`);
