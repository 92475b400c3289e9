// Erases deleted organizations in the background: soon after the deletion, on one node, and again after a restart.
import type { Actor } from "../../ports/store/audit.ts";
import type { Services } from "../../ports/services.ts";
import { repeat } from "../repeat.ts";
import { eraseOrganization } from "./erase-organization.ts";

const MINUTE_MS = 60_000;
/**
 * Rounds in which all deleted organizations are looked at: a turn may have begun while its organization was deleted.
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
