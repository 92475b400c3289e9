// The `x-ratelimit-*` headers of a rate-limited route. Names and forms are those that clients know (docs/wire.md, objects).
import type { AllowanceReport } from "../flows/exchange.ts";

const SECOND_MS = 1000;
const MINUTE_SECONDS = 60;

/** The three headers as names and values in turn, for `writeHead`. */
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

/** A duration as `12ms`, `1s` or `6m0s`; rounded up, so that what it promises has come true when it is over. */
export function formatDuration(milliseconds: number): string {
  const wholeMs = Math.max(0, Math.ceil(milliseconds));
  if (wholeMs < SECOND_MS) return `${wholeMs}ms`;
  const seconds = Math.ceil(wholeMs / SECOND_MS);
  if (seconds < MINUTE_SECONDS) return `${seconds}s`;
  return `${Math.floor(seconds / MINUTE_SECONDS)}m${seconds % MINUTE_SECONDS}s`;
}
