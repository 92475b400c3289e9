// What is forgotten and erased in time: idempotency keys, secrets past their grace, deleted content. @spec limits
import type { StopTimer } from "../ports/clock.ts";
import type { World } from "../ports/world.ts";

const HOUR_MS = 3_600_000;
/** Rows erased in one transaction: turns must not wait long behind it. */
const ERASURE_BATCH = 500;

/** Keeps house now and every hour. Calling the result ends it. */
export function startHousekeeping(world: World): () => void {
  let stopTimer: StopTimer = () => {};
  let isStopped = false;
  const round = async () => {
    try {
      await keepHouse(world);
    } catch (error) {
      world.log.error("housekeeping.failed", {}, error);
    }
    if (!isStopped) stopTimer = world.clock.after(HOUR_MS, () => void round());
  };
  void round();
  return () => {
    isStopped = true;
    stopTimer();
  };
}

async function keepHouse(world: World): Promise<void> {
  const { store, limits } = world;
  await store.forgetExpired({ retentionHours: limits.idempotency_retention_hours });
  let erased = 0;
  for (let more = true; more; ) {
    const batch = await store.eraseDeleted({
      olderThanDays: limits.erasure_after_days,
      batch: ERASURE_BATCH,
      compactsAnySize: false,
    });
    erased += batch.erased;
    more = batch.more;
  }
  if (erased > 0) world.log.info("content.erased", { rows: erased });
}
