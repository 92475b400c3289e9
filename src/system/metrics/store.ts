// Store metrics: calls by operation and outcome, groups that share a commit, waiting calls.
import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";
import Histogram from "prom-client/lib/histogram.js";
import type Registry from "prom-client/lib/registry.js";
import type { StoreSide, StoreTelemetry } from "../../ports/telemetry.ts";

/** From a read of one row to a disk that stalls, seconds. */
const DURATION_BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
/** Up to the largest group. */
const SIZE_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256];

export function createStoreTelemetry(registry: Registry): StoreTelemetry {
  const registers = [registry];
  const calls = new Counter({
    name: "turngate_store_calls_total",
    help: "Completed calls to the store.",
    labelNames: ["operation", "outcome"],
    registers,
  });
  const callDuration = new Histogram({
    name: "turngate_store_call_duration_seconds",
    help: "From a call to the store to its result, waiting included.",
    labelNames: ["side"],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const groupDuration = new Histogram({
    name: "turngate_store_group_duration_seconds",
    help: "One group of calls in the store's thread: for writes a transaction with its commit to disk.",
    labelNames: ["side"],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const groupSize = new Histogram({
    name: "turngate_store_group_calls",
    help: "Calls that shared one transaction.",
    labelNames: ["side"],
    buckets: SIZE_BUCKETS,
    registers,
  });
  const waiting = new Map<StoreSide, () => number>();
  const waitingCalls: Gauge<"side"> = new Gauge({
    name: "turngate_store_waiting_calls",
    help: "Calls that wait for their result.",
    labelNames: ["side"],
    registers,
    collect() {
      for (const [side, count] of waiting) waitingCalls.set({ side }, count());
    },
  });
  return {
    side: (side) => ({
      callAnswered(operation, outcome, milliseconds) {
        calls.inc({ operation, outcome });
        callDuration.observe({ side }, milliseconds / 1000);
      },
      groupRun(size, milliseconds) {
        groupSize.observe({ side }, size);
        groupDuration.observe({ side }, milliseconds / 1000);
      },
      watchWaiting: (count) => void waiting.set(side, count),
    }),
  };
}
