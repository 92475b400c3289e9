// What is forgotten and erased in time: idempotency keys, secrets past their grace, deleted content. @spec limits
import type { StopTimer } from "../ports/clock.ts";
import type { Store } from "../ports/store.ts";
import type { World } from "../ports/world.ts";
import { eraseDeleted } from "./erase-deleted.ts";

const HOUR_MS = 3_600_000;

/** What housekeeping touches. */
export interface HousekeepingWorld extends Pick<World, "clock" | "log" | "limits"> {
  readonly store: Pick<Store, "forgetExpired" | "eraseDeleted">;
}

/** Keeps house now and every hour. Calling the result ends it, and resolves when the store is not asked any more. */
export function startHousekeeping(world: HousekeepingWorld): () => Promise<void> {
  let stopTimer: StopTimer = () => {};
  let isStopped = false;
  const round = async () => {
    try {
      await keepHouse(world, () => isStopped);
    } catch (error) {
      world.log.error("housekeeping.failed", {}, error);
    }
    if (isStopped) return;
    stopTimer = world.clock.after(HOUR_MS, () => {
      underWay = round();
    });
  };
  let underWay = round();
  return () => {
    isStopped = true;
    stopTimer();
    return underWay;
  };
}

async function keepHouse(world: HousekeepingWorld, isStopped: () => boolean): Promise<void> {
  const { store, limits } = world;
  await store.forgetExpired({ retentionHours: limits.idempotency_retention_hours });
  const rows = await eraseDeleted(store, {
    olderThanDays: limits.erasure_after_days,
    compactsAnySize: false,
    isStopped,
  });
  if (rows > 0) world.log.info("content.erased", { rows });
}
