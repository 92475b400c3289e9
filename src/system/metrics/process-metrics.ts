// The process's own numbers: CPU, memory, file descriptors, garbage collection, lateness of the event loop.
import type { Registry } from "prom-client";
import { SAMPLE_MILLISECONDS } from "../load.ts";

/**
 * Reads them in the text exposition format. The library is loaded by the first call, since it would cost every start 50 ms: garbage
 * collections and the event loop are watched from then on.
 */
export function createProcessMetrics(): () => Promise<string> {
  let registry: Promise<Registry> | null = null;
  return async () => {
    registry ??= openRegistry();
    return (await registry).metrics();
  };
}

async function openRegistry(): Promise<Registry> {
  const { collectDefaultMetrics, Registry } = await import("prom-client");
  const register = new Registry();
  // The lateness that is shown is looked at as often as the lateness that sheds load.
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: SAMPLE_MILLISECONDS });
  return register;
}
