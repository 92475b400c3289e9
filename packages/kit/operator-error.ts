// Errors that an operator can fix, and the reasons that they give.
import { getSystemErrorMessage } from "node:util";

/**
 * An error that the operator can fix: wrong configuration or arguments, an unreadable file. The message says what is wrong and what to do,
 * and is printed as one line without a stack.
 */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
}

/** The reason of a system error in words, such as `no such file or directory`; the message of any other error. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  return "errno" in error && typeof error.errno === "number" ? getSystemErrorMessage(error.errno) : error.message;
}
