// How the program says that it cannot go on, and how a process with a bug ends.
import { OperatorError } from "../../packages/kit/operator-error.ts";
import { ApiError } from "../contract/errors.ts";
import { AccountError } from "../ports/store/accounts.ts";
import { StoreError } from "../ports/store/store.ts";
import type { OpenLog } from "../system/log.ts";

/** The message as one line. An error that the operator can't fix has its name in front. */
export function describeError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const line = message.replace(/\s*\n\s*/g, " ");
  if ([OperatorError, AccountError, StoreError, ApiError].some((kind) => error instanceof kind)) return line;
  // System errors (an unwritable file, a port in use) are clear by themselves.
  return error instanceof Error && !("syscall" in error) ? `${error.name}: ${line}` : line;
}

/**
 * An uncaught error is a bug that leaves the state unknown: the process exits, and the next start settles the responses
 * that were running.
 */
export function exitOnBugs(openedLog: OpenLog): void {
  const exit = (event: string) => (error: unknown) => {
    openedLog.log.error(event, {}, error);
    openedLog.flushSync();
    process.exit(1);
  };
  process.on("uncaughtException", exit("bug.uncaught_exception"));
  process.on("unhandledRejection", exit("bug.unhandled_rejection"));
}
