// The store: calls by operation and outcome, how they share commits, what waits.
import type { StoreSide, StoreTelemetry } from "../../ports/telemetry.ts";
import { createCounter } from "./counter.ts";
import { createGauge } from "./gauge.ts";
import { createHistogram } from "./histogram.ts";
import type { MetricFamily } from "./sample.ts";

/** From a read of one row to a disk that stalls. */
const DURATION_BOUNDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
/** Up to the most that one group holds. */
const SIZE_BOUNDS = [1, 2, 4, 8, 16, 32, 64, 128, 256];

export interface StoreMetrics extends StoreTelemetry {
  readonly families: readonly MetricFamily[];
}

export function createStoreMetrics(): StoreMetrics {
  const waiting = new Map<StoreSide, () => number>();
  const calls = createCounter("turngate_store_calls_total", "Calls to the store that were answered.", [
    "operation",
    "outcome",
  ]);
  const callDuration = createHistogram(
    "turngate_store_call_duration_seconds",
    "From a call to the store to its answer, waiting included.",
    ["side"],
    DURATION_BOUNDS,
  );
  const groupDuration = createHistogram(
    "turngate_store_group_duration_seconds",
    "One group of calls in the store's thread: for writes a transaction with its commit to disk.",
    ["side"],
    DURATION_BOUNDS,
  );
  const groupSize = createHistogram(
    "turngate_store_group_calls",
    "Calls that shared one transaction.",
    ["side"],
    SIZE_BOUNDS,
  );
  const waitingNow = createGauge("turngate_store_waiting_calls", "Calls that wait for their answer.", ["side"], () =>
    Array.from(waiting, ([side, count]) => ({ values: [side], value: count() })),
  );
  return {
    families: [calls, callDuration, groupDuration, groupSize, waitingNow],
    side: (side) => ({
      callAnswered(operation, outcome, milliseconds) {
        calls.add(1, operation, outcome);
        callDuration.observe(milliseconds / 1000, side);
      },
      groupRun(size, milliseconds) {
        groupSize.observe(size, side);
        groupDuration.observe(milliseconds / 1000, side);
      },
      watchWaiting: (count) => void waiting.set(side, count),
    }),
  };
}
