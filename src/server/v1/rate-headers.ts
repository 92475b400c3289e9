// The `x-ratelimit-*` headers of a rate-limited route. Names and formats are those that clients know (docs/wire.md,
// Objects).
import type { AllowanceReport } from "../../flows/request-context.ts";

const SECOND_MS = 1000;
const MINUTE_SECONDS = 60;

/** The three headers, names and values in turn. */
export function rateHeaders(allowance: AllowanceReport): string[] {
  return [
    "x-ratelimit-limit-requests",
    String(allowance.limit),
    "x-ratelimit-remaining-requests",
    String(allowance.remaining),
    "x-ratelimit-reset-requests",
    formatDuration(allowance.resetMs),
  ];
}

/** Formats a duration as `12ms`, `1s` or `6m0s`; rounded up, so that the allowance is whole when it is over. */
export function formatDuration(milliseconds: number): string {
  const wholeMs = Math.max(0, Math.ceil(milliseconds));
  if (wholeMs < SECOND_MS) return `${wholeMs}ms`;
  const seconds = Math.ceil(wholeMs / SECOND_MS);
  if (seconds < MINUTE_SECONDS) return `${seconds}s`;
  return `${Math.floor(seconds / MINUTE_SECONDS)}m${seconds % MINUTE_SECONDS}s`;
}
