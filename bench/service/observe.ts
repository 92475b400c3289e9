/**
 * Preloaded into the service (`node --import`): measures the delay of the event loop, which cannot be seen from
 * outside. Replies to the messages `reset` and `read` on the IPC channel, which does not keep the process alive.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";

/** Interval of the timer behind the histogram; it is subtracted from the measured times. */
const RESOLUTION_MILLISECONDS = 1;
const NANOSECONDS = 1e6;

const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MILLISECONDS });

/** Maximum CPU time of the main thread between two ticks, microseconds; excludes time taken by other processes. */
let longestWork = 0;
let worked = workedMicroseconds();
setInterval(() => {
  const now = workedMicroseconds();
  longestWork = Math.max(longestWork, now - worked);
  worked = now;
}, RESOLUTION_MILLISECONDS).unref();

function workedMicroseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

process.on("message", (message) => {
  if (message === "reset") {
    delay.enable();
    delay.reset();
    longestWork = 0;
    process.send?.({});
  }
  if (message === "read") {
    process.send?.({ p99: milliseconds(delay.percentile(99)), max: milliseconds(delay.max), work: longestWork / 1000 });
    delay.disable();
  }
});
process.channel?.unref();

function milliseconds(nanoseconds: number): number {
  return Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MILLISECONDS);
}
