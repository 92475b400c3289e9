/**
 * Preloaded into the service (`node --import`): measures from the inside what the outside cannot see, the delay of the
 * event loop. Answers the messages `reset` and `read` on the IPC channel, which does not keep the process alive.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";

/** The histogram counts the time between two ticks of this timer, so the tick itself is taken off. */
const RESOLUTION_MILLISECONDS = 1;
const NANOSECONDS = 1e6;

const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MILLISECONDS });

process.on("message", (message) => {
  if (message === "reset") {
    delay.enable();
    delay.reset();
    process.send?.({});
  }
  if (message === "read") {
    process.send?.({ p99: milliseconds(delay.percentile(99)), max: milliseconds(delay.max) });
    delay.disable();
  }
});
process.channel?.unref();

function milliseconds(nanoseconds: number): number {
  return Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MILLISECONDS);
}
