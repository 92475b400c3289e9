/**
 * Preloaded into the service (`node --import`): measures the delay of the event loop, which cannot be seen from
 * outside. Replies to the messages `reset` and `read` on the IPC channel, which does not keep the process alive.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import type pg from "pg";

/** Interval of the timer behind the histogram; it is subtracted from the measured times. */
const RESOLUTION_MS = 1;
const NANOSECONDS = 1e6;

const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

/** Maximum CPU time of the main thread between two ticks, microseconds; excludes time taken by other processes. */
let longestWork = 0;
let worked = workedMicroseconds();
setInterval(() => {
  const now = workedMicroseconds();
  longestWork = Math.max(longestWork, now - worked);
  worked = now;
}, RESOLUTION_MS).unref();

function workedMicroseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

/** Queries sent to PostgreSQL by this process. */
let statements = 0;
if (process.env["DATABASE_URL"]?.startsWith("postgres") === true) {
  const { default: pg } = await import("pg");
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function counted(this: pg.Client, ...values: unknown[]) {
    statements++;
    return Reflect.apply(query, this, values) as never;
  };
}

let since = { milliseconds: 0, worked: 0, statements: 0 };

process.on("message", (message) => {
  if (message === "reset") {
    since = { milliseconds: performance.now(), worked: workedMicroseconds(), statements };
    delay.enable();
    delay.reset();
    longestWork = 0;
    process.send?.({});
  }
  if (message === "read") {
    const seconds = (performance.now() - since.milliseconds) / 1000;
    process.send?.({
      p99: milliseconds(delay.percentile(99)),
      max: milliseconds(delay.max),
      work: longestWork / 1000,
      /** CPU time of the main thread, microseconds. */
      mainPerSecond: (workedMicroseconds() - since.worked) / seconds,
      statementsPerSecond: (statements - since.statements) / seconds,
    });
    delay.disable();
  }
});
process.channel?.unref();

function milliseconds(nanoseconds: number): number {
  return Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS);
}
