// Turns that were running when their process died: each is settled as failed, none is ever sent again.
// @spec docs/architecture.md (Durability, rule 2)
import type { World } from "../../ports/world.ts";
import { settleAsRunFailed } from "./settle-as-run-failed.ts";

const STOPPED = "The service stopped while this response was running; it was not asked again.";

/** Settles every orphan as failed `run_failed`. Those of one store transaction are settled together. */
export async function settleOrphans(world: World): Promise<void> {
  const orphans = await world.store.listOrphans();
  if (orphans.length === 0) return;
  await Promise.all(orphans.map(({ head }) => settleAsRunFailed(world, head, STOPPED)));
  world.log.warn("turns.recovered", { failed: orphans.length });
}
