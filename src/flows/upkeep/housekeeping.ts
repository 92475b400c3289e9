// Hourly housekeeping: forgets expired idempotency keys, secrets and events, deletes histories whose retention is over,
// erases deleted content. @spec limits
import { HOUR_MS, MINUTE_MS } from "../../base/time.ts";
import { effectiveRetention } from "../../core/history/retention.ts";
import type { Services } from "../../ports/services.ts";
import type { NodeStore } from "../../ports/store/nodes.ts";
import type { Store } from "../../ports/store/store.ts";
import { repeat } from "../repeat.ts";
import { eraseDeleted } from "./erase-deleted.ts";

/** The node that does it keeps the task from round to round; another takes over an hour after it has died. */
const TASK_LEASE_MS = HOUR_MS + MINUTE_MS;

/** The ports that housekeeping uses. */
export interface HousekeepingServices extends Pick<Services, "clock" | "log" | "limits"> {
  readonly store: Pick<Store, "forgetExpired" | "listOrganizations" | "expireHistories" | "eraseDeleted">;
  readonly telemetry: Pick<Services["telemetry"], "contentDeleted">;
  readonly nodes: Pick<NodeStore, "takeTask"> | null;
}

/** Starts housekeeping, now and every hour. The result stops it and resolves when the store is no longer used. */
export function startHousekeeping(services: HousekeepingServices): () => Promise<void> {
  return repeat(services.clock, {
    everyMs: HOUR_MS,
    startsAtOnce: true,
    work: (isStopped) => keepHouse(services, isStopped),
    onError: (error) => services.log.error("housekeeping.failed", {}, error),
  });
}

async function keepHouse(services: HousekeepingServices, isStopped: () => boolean): Promise<void> {
  const { store, nodes, limits } = services;
  // One node does it for all.
  if ((await nodes?.takeTask({ task: "housekeeping", leaseMs: TASK_LEASE_MS })) === false) return;
  await store.forgetExpired({
    retentionHours: limits.idempotency_retention_hours,
    eventDays: limits.event_retention_days,
  });
  const expired = expireHistories(store, { serviceDays: limits.retention_days, isStopped });
  for await (const { organizationId, histories } of expired) {
    services.telemetry.contentDeleted({ histories, erasedRows: 0 });
    services.log.info("histories.expired", { organization: organizationId, histories });
  }
  const rows = await eraseDeleted(store, {
    olderThanDays: limits.erasure_after_days,
    mayBlockWrites: false,
    isStopped,
  });
  services.telemetry.contentDeleted({ histories: 0, erasedRows: rows });
  if (rows > 0) services.log.info("content.erased", { rows });
}

/** Histories that one transaction looks at, so that responses do not wait long for it. */
const HISTORIES_AT_ONCE = 200;

/**
 * Deletes the histories that were used last longer ago than their organization keeps them; yields the number of each
 * organization that had any. Their content is for the next erasure. `serviceDays` is the longest that the
 * service keeps any; null: for ever. `isStopped` is asked before each piece; the rest waits for the next round.
 */
export async function* expireHistories(
  store: Pick<Store, "listOrganizations" | "expireHistories">,
  { serviceDays, isStopped }: { serviceDays: number | null; isStopped(): boolean },
): AsyncGenerator<{ organizationId: string; histories: number }> {
  for (const { id: organizationId, retentionDays } of await store.listOrganizations()) {
    const olderThanDays = effectiveRetention(retentionDays, serviceDays);
    if (olderThanDays === null) continue;
    let histories = 0;
    for (let after: number | null = 0; after !== null && !isStopped(); ) {
      const piece = await store.expireHistories({ organizationId, olderThanDays, after, limit: HISTORIES_AT_ONCE });
      histories += piece.expired;
      after = piece.next;
    }
    if (histories > 0) yield { organizationId, histories };
  }
}
