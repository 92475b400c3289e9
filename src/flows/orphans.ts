// Turns that were running when their process died: each is settled as failed, none is ever sent again.
// @spec docs/architecture.md (Durability, rule 2)
import { nowSeconds } from "../ports/clock.ts";
import type { Orphan } from "../ports/store.ts";
import type { World } from "../ports/world.ts";
import { NO_USAGE } from "../core/turn/usage.ts";

/** Settles every orphan as failed `run_failed`. Those of one store transaction are settled together. */
export async function settleOrphans(world: World): Promise<void> {
  const orphans = await world.store.listOrphans();
  if (orphans.length === 0) return;
  await Promise.all(orphans.map((orphan) => settleOrphan(world, orphan)));
  world.log.warn("turns.recovered", { failed: orphans.length });
}

async function settleOrphan(world: World, { head }: Orphan): Promise<void> {
  const message = "The service stopped while this response was running; it was not asked again.";
  await world.store.settleTurn({
    responseId: head.id,
    end: {
      status: "failed",
      completedAt: Math.max(head.createdAt, nowSeconds(world.clock)),
      output: [],
      usage: NO_USAGE,
      error: { code: "run_failed", message },
      incompleteReason: null,
      toolCallsDropped: 0,
      warnings: [],
      failure: {
        type: "run",
        code: "run_failed",
        message,
        provider: null,
        provider_status: null,
        provider_request_id: null,
        retryable: true,
      },
      providerState: null,
    },
    input: [],
    output: [],
    entersHistory: false,
  });
}
