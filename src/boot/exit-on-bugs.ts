// Ends a process that has a bug.
import type { OpenLog } from "../system/log.ts";

/** An uncaught error is a bug that leaves the state unknown: the process exits, and the next start settles the turns that were running. */
export function exitOnBugs(openedLog: OpenLog): void {
  const exit = (event: string) => (error: unknown) => {
    openedLog.log.error(event, {}, error);
    openedLog.flushSync();
    process.exit(1);
  };
  process.on("uncaughtException", exit("bug.uncaught_exception"));
  process.on("unhandledRejection", exit("bug.unhandled_rejection"));
}
