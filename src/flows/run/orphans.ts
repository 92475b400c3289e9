// Turns that were running when their process died: each is settled as failed, none is ever sent again.
// @spec docs/architecture.md (Durability, rule 2)
import type { Orphan } from "../../ports/turns.ts";
import { StoreError } from "../../ports/store.ts";
import type { World } from "../../ports/world.ts";
import { settleAsRunFailed } from "./settle-as-run-failed.ts";

const STOPPED = "The service stopped while this response was running; it was not asked again.";

/**
 * Settles every orphan as failed `run_failed`. Those of one store transaction are settled together. One that cannot be settled, for what is
 * stored of it is damaged, keeps neither the others nor the service waiting; rejects when the store is out of reach or lost.
 */
export async function settleOrphans(world: World): Promise<void> {
  const orphans = await world.store.listOrphans();
  if (orphans.length === 0) return;
  const settled = await Promise.all(orphans.map((orphan) => settleOrphan(world, orphan)));
  world.log.warn("turns.recovered", { failed: settled.filter(Boolean).length });
}

async function settleOrphan(world: World, { head }: Orphan): Promise<boolean> {
  try {
    await settleAsRunFailed(world, head, STOPPED);
    return true;
  } catch (error) {
    if (!(error instanceof StoreError) || error.kind !== "failed") throw error;
    world.log.error("turn.lost", { response_id: head.id }, error);
    return false;
  }
}
