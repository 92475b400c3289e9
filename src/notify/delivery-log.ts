// The log of deliveries: a line of JSON for each attempt, without addresses, in two files of bounded size.
import { appendFileSync, renameSync, statSync } from "node:fs";

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

/** Opens the log. A full file becomes `PATH.1`, and replaces the one before it. */
export function openDeliveryLog(path: string, nowMs: () => number): LogDelivery {
  let bytes = sizeOf(path);
  return (delivery) => {
    const line = `${JSON.stringify({ at: new Date(nowMs()).toISOString(), ...delivery })}\n`;
    if (bytes + line.length > BYTES_MAX) {
      renameSync(path, `${path}.1`);
      bytes = 0;
    }
    appendFileSync(path, line, { mode: 0o600 });
    bytes += line.length;
  };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
