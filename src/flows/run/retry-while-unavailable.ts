// Repeats a store call that a turn cannot do without while the store is unavailable. docs/reliability.md, F-05
import { pause } from "../../ports/clock.ts";
import { StoreError } from "../../ports/store/store.ts";
import type { Services } from "../../ports/services.ts";

const FIRST_DELAY_MS = 100;
/** Short, so that waiting clients get their replies soon after the store is back; simultaneous writes share a commit. */
const LAST_DELAY_MS = 500;
/** Time after which a call counts as late, milliseconds. */
const LATE_MS = 10_000;

/**
 * Repeats a store call until it succeeds. Rejects when the store failed for good. `onLate` is called once, when the store
 * has been unavailable for 10 s, so that readers need not wait for it.
 */
export async function retryWhileUnavailable<T>(
  services: Services,
  call: () => Promise<T>,
  onLate: () => void = () => {},
): Promise<T> {
  const startedMs = services.clock.monotonicMs();
  let isLate = false;
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(delayMs * 2, LAST_DELAY_MS)) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof StoreError) || error.kind !== "unavailable") throw error;
      // Logged by the first attempts only: many responses may retry twice a second for a long time.
      if (delayMs < LAST_DELAY_MS) services.log.warn("store.unavailable", { retry_ms: delayMs }, error);
      if (!isLate && services.clock.monotonicMs() - startedMs >= LATE_MS) {
        isLate = true;
        onLate();
      }
      await pause(services.clock, delayMs);
    }
  }
}
