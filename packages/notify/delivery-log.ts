// The log of deliveries: a line of JSON for each attempt, without addresses, in two files of bounded size.
import { appendFileSync, renameSync, statSync } from "node:fs";
import { OperatorError, reasonOf } from "../kit/operator-error.ts";

const BYTES_MAX = 10 * 1024 * 1024;

export interface Delivery {
  readonly target: string;
  readonly event: number;
  readonly type: string;
  /** `failed`: it is tried again. `dropped`: it has failed for too long. */
  readonly outcome: "delivered" | "failed" | "dropped";
  /** Why it failed. */
  readonly reason?: string;
  readonly next_attempt_seconds?: number;
}

export type LogDelivery = (delivery: Delivery) => void;

/** Opens the log. A full file becomes `PATH.1`, and replaces the one before it. Throws an OperatorError if it can't be written. */
export function openDeliveryLog(path: string, nowMs: () => number): LogDelivery {
  let bytes = open(path);
  return (delivery) => {
    const line = `${JSON.stringify({ at: new Date(nowMs()).toISOString(), ...delivery })}\n`;
    if (bytes + line.length > BYTES_MAX) {
      renameSync(path, `${path}.1`);
      bytes = 0;
    }
    append(path, line);
    bytes += line.length;
  };
}

/** Creates the file unless there is one; returns its size. */
function open(path: string): number {
  try {
    append(path, "");
    return statSync(path).size;
  } catch (error) {
    throw new OperatorError(`the log of deliveries ${path} can't be written (${reasonOf(error)}).`, { cause: error });
  }
}

function append(path: string, text: string): void {
  appendFileSync(path, text, { mode: 0o600 });
}
