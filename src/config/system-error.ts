// What is wrong with a file, for messages.
import { getSystemErrorMessage } from "node:util";

/** The reason of a system error in words, such as `no such file or directory`; the message of any other error. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  return "errno" in error && typeof error.errno === "number" ? getSystemErrorMessage(error.errno) : error.message;
}
