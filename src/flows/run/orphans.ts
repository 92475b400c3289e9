// Responses that were running or queued when their process died: each is settled as failed, and none is sent to a provider again.
// See docs/architecture.md (Dispatch mark)
import type { Orphan } from "../../ports/store/responses.ts";
import { StoreError } from "../../ports/store/store.ts";
import type { Services } from "../../ports/services.ts";
import { settleAsRunFailed } from "./settle-without-run.ts";

const NOT_BEGUN = "The service stopped while this response was queued; it was not sent to a provider.";
const STOPPED = "The service stopped while this response was running; its request was not sent to the provider again.";

/**
 * Settles every orphan as failed `run_failed`, many in one store transaction. An orphan whose stored data is damaged is
 * logged and skipped. Rejects when the store is unavailable or lost.
 */
export async function settleOrphans(services: Services): Promise<void> {
  const orphans = await services.store.listOrphans();
  if (orphans.length === 0) return;
  const settled = await Promise.all(orphans.map((orphan) => settleOrphan(services, orphan)));
  services.log.warn("turns.recovered", { failed: settled.filter(Boolean).length });
}

async function settleOrphan(services: Services, orphan: Orphan): Promise<boolean> {
  try {
    await settleAsRunFailed(services, orphan, orphan.dispatchedAtMs === null ? NOT_BEGUN : STOPPED);
    return true;
  } catch (error) {
    if (!(error instanceof StoreError) || error.kind !== "failed") throw error;
    services.log.error("turn.lost", { response_id: orphan.id }, error);
    return false;
  }
}
