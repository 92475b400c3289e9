// A write that must not be lost: tried again while the store is only out of reach for the moment. @spec docs/reliability.md, F-05
import { StoreError } from "../../ports/store.ts";
import type { World } from "../../ports/world.ts";

const FIRST_DELAY_MS = 100;
const LAST_DELAY_MS = 5000;

/** Does a write until it succeeds. Rejects when the store failed for good. */
export async function untilStored<T>(world: World, write: () => Promise<T>): Promise<T> {
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(delayMs * 2, LAST_DELAY_MS)) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof StoreError) || error.kind !== "unavailable") throw error;
      world.log.warn("store.unavailable", { retry_ms: delayMs }, error);
      await new Promise<void>((resolve) => world.clock.after(delayMs, resolve));
    }
  }
}
