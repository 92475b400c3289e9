// What becomes of deleted organizations: each service cancels its running responses of them, since the command line and
// other nodes delete in the store alone; one node erases them in the background, soon after the deletion, and again
// after a restart.
import { MINUTE_MS } from "../../base/time.ts";
import type { Services } from "../../ports/services.ts";
import type { Actor } from "../../ports/store/audit.ts";
import { repeat } from "../repeat.ts";
import type { Runs } from "../run/runs.ts";
import { eraseOrganization } from "./erase-organization.ts";

/**
 * Rounds in which all deleted organizations are looked at: a response may have begun while its organization was
 * deleted.
 */
const ALL_EVERY_ROUNDS = 60;
const BY: Actor = { kind: "service", id: "erasure" };

/** Looks for deleted organizations every minute. The result stops it and resolves when the store is no longer used. */
export function startErasingOrganizations(services: Services): () => Promise<void> {
  let rounds = 0;
  return repeat(services.clock, {
    everyMs: MINUTE_MS,
    startsAtOnce: true,
    work: (isStopped) => eraseAll(services, { onlyUnerased: rounds++ % ALL_EVERY_ROUNDS !== 0, isStopped }),
    onError: (error) => services.log.error("organization.erasure_failed", {}, error),
  });
}

async function eraseAll(
  { store, nodes, log, telemetry }: Services,
  { onlyUnerased, isStopped }: { onlyUnerased: boolean; isStopped(): boolean },
): Promise<void> {
  for (const { id: organizationId, erasedAtMs } of await store.listDeletedOrganizations({ onlyUnerased })) {
    if (isStopped()) return;
    // One node does it for all. Another one goes on when it has died.
    if ((await nodes?.takeTask({ task: "organizations", leaseMs: 2 * MINUTE_MS })) === false) return;
    const { rows, state } = await eraseOrganization(store, { organizationId, by: BY, isStopped });
    telemetry.contentDeleted({ histories: 0, erasedRows: rows });
    if (state === "done" && erasedAtMs === null)
      log.info("organization.erased", { organization: organizationId, rows });
  }
}

/** An indexed read that usually finds nothing. */
const LOOK_EVERY_MS = 1000;

/**
 * Looks every second while responses are running here. The result stops it and resolves when the store is no longer
 * used.
 */
export function startStoppingDeleted({ store, clock, log }: Services, runs: Runs): () => Promise<void> {
  return repeat(clock, {
    everyMs: LOOK_EVERY_MS,
    work: async () => {
      if (runs.all().length === 0) return;
      // An organization counts as erased only when none of its responses is running.
      for (const { id } of await store.listDeletedOrganizations({ onlyUnerased: true })) runs.cancelOf(id);
    },
    onError: (error) => log.warn("organization.turns_not_cancelled", {}, error),
  });
}
