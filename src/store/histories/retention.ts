// Histories whose retention is over. A history expires as a whole, by its last use: what a later response may continue
// is kept as long as that response (docs/decisions/retention.md). @spec states-and-transitions
import { DAY_MS } from "../../base/time.ts";
import type { StoreUpkeep } from "../../ports/store/store.ts";
import { plainProcedure } from "../engine/procedure.ts";
import { change, lock, many } from "../engine/statement.ts";
import type { Steps } from "../engine/transaction.ts";
import { USED_STEP_MS } from "./threads.ts";

type Expiry = Parameters<StoreUpkeep["expireHistories"]>[0];

/** StoreUpkeep.expireHistories. */
export const expireHistories = plainProcedure(
  "write",
  function* (
    tx,
    { organizationId, olderThanDays, after, limit }: Expiry,
    nowMs,
  ): Steps<{ expired: number; next: number | null }> {
    const beforeMs = nowMs - olderThanDays * DAY_MS - USED_STEP_MS;
    const page = yield* selectRetained(tx, { organizationId, after, limit });
    const last = page.at(-1);
    // Histories are numbered as they begin: those after one that began later than that have been used later, too.
    const next = last === undefined || page.length < limit || last.createdAtMs > beforeMs ? null : last.id;
    if (last === undefined || !page.some(({ usedAtMs }) => usedAtMs <= beforeMs)) return { expired: 0, next };
    const range = { organizationId, after, upTo: last.id, beforeMs };
    yield* lockExpired(tx, range);
    return { expired: (yield* expire(tx, { ...range, nowMs })).changes, next };
  },
);

interface Range {
  readonly organizationId: string;
  readonly after: number;
  readonly upTo: number;
  readonly beforeMs: number;
}

/** The roots of an organization's histories that have not expired, in the order of their beginning. */
const selectRetained = many<
  { organizationId: string; after: number; limit: number },
  { readonly id: number; readonly usedAtMs: number; readonly createdAtMs: number }
>(`
  select id,
         used_at_ms        as usedAtMs,
         created_at * 1000 as createdAtMs
    from threads
   where organization_id = :organizationId
     and root_id is null
     and retained = 1
     and id > :after
   order by id
   limit +:limit`);

const EXPIRED = `
  select id
    from threads
   where organization_id = :organizationId
     and root_id is null
     and retained = 1
     and id > :after
     and id <= :upTo
     and used_at_ms <= :beforeMs`;

/** Lets no response begin in the histories that expire, nor in their branches. */
const lockExpired = lock<Range>(`
  select id
    from threads
   where id in (${EXPIRED})
      or root_id in (${EXPIRED})
   order by id`);

/** Erasure finds them by `metadata`, which a private history does not have. */
const expire = change<Range & { nowMs: number }>(`
  update threads
     set deleted_at_ms = coalesce(deleted_at_ms, :nowMs),
         metadata      = coalesce(metadata, '{}'),
         retained      = 0
   where id in (${EXPIRED})
     and used_at_ms <= :beforeMs
     and id not in (select coalesce(t.root_id, t.id)
                      from responses r
                      join threads t on t.id = r.thread_id
                     where r.completed_at is null
                       and r.organization_id = :organizationId)`);
