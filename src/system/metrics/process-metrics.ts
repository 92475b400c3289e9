// The process's own metrics: CPU, memory, file descriptors, garbage collection, event loop lag.
import type Registry from "prom-client/lib/registry.js";
import { SAMPLE_MILLISECONDS } from "../load.ts";

/**
 * Adds prom-client's default metrics. They are loaded by the first scrape, since they would cost every start 15 ms:
 * garbage collections and the event loop are observed from then on.
 */
export async function addProcessMetrics(registry: Registry): Promise<void> {
  const { default: collectDefaultMetrics } = await import("prom-client/lib/defaultMetrics.js");
  // The same sampling interval as the load meter, which sheds load.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: SAMPLE_MILLISECONDS });
}
