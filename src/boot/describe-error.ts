// The line that is printed when the program can't go on.
import { OperatorError } from "../config/operator-error.ts";
import { ApiError } from "../contract/errors.ts";
import { AccountError } from "../ports/store/accounts.ts";
import { StoreError } from "../ports/store/store.ts";

/** The message as one line. An error that the operator can't fix has its name in front. */
export function describeError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const line = message.replace(/\s*\n\s*/g, " ");
  if ([OperatorError, AccountError, StoreError, ApiError].some((kind) => error instanceof kind)) return line;
  // System errors (an unwritable file, a port in use) are clear by themselves.
  return error instanceof Error && !("syscall" in error) ? `${error.name}: ${line}` : line;
}
