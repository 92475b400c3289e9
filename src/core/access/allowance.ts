// Rate limits: how many requests of a class an organization may send per minute. A token bucket that refills evenly: a
// burst gets what is left at once, and there is no window edge that would grant a second burst.
// @spec limits; docs/wire.md (Objects)
import { MINUTE_MS } from "../../base/time.ts";

/** One request in the units of `Allowance.left`. */
const REQUEST = MINUTE_MS;

/** The state of an allowance. */
export interface Allowance {
  /**
   * In 1/60,000 of a request, the refill per millisecond of an allowance of one per minute. An integer, so that
   * rounding never withholds a request that was promised.
   */
  readonly left: number;
  /** Time of that state, integer milliseconds of a monotonic clock. */
  readonly atMs: number;
}

export interface AllowanceStanding {
  /** Whole requests left. */
  readonly remaining: number;
  /** Time until the allowance is full again, milliseconds. */
  readonly resetMs: number;
}

export interface AllowanceVerdict extends AllowanceStanding {
  readonly allowance: Allowance;
  readonly isGranted: boolean;
  /** How many requests were granted. */
  readonly granted: number;
  /** Time until the next request is granted, milliseconds; 0 if this one was. */
  readonly retryAfterMs: number;
}

/**
 * Takes one request from an allowance of `perMinute`, or up to `wanted`; `before` is undefined when nothing has been
 * taken yet.
 */
export function drawAllowance(
  before: Allowance | undefined,
  perMinute: number,
  nowMs: number,
  wanted = 1,
): AllowanceVerdict {
  const available = refill(before, perMinute, nowMs);
  const granted = Math.min(wanted, Math.floor(available.left / REQUEST));
  const isGranted = granted > 0;
  const allowance = isGranted ? { left: available.left - granted * REQUEST, atMs: available.atMs } : available;
  return {
    allowance,
    isGranted,
    granted,
    ...standingOf(allowance, perMinute),
    retryAfterMs: isGranted ? 0 : Math.ceil((REQUEST - allowance.left) / Math.max(perMinute, 1)),
  };
}

/**
 * Takes all of `wanted` tokens, or none. More than a full allowance are taken when it is full: it is in debt then, and
 * grants nothing more until that is refilled.
 */
export function drawTokens(
  before: Allowance | undefined,
  perMinute: number,
  nowMs: number,
  wanted: number,
): AllowanceVerdict {
  const available = refill(before, perMinute, nowMs);
  const needed = Math.min(wanted, perMinute) * REQUEST;
  const isGranted = available.left >= needed;
  const allowance = isGranted ? { left: available.left - wanted * REQUEST, atMs: available.atMs } : available;
  return {
    allowance,
    isGranted,
    granted: isGranted ? wanted : 0,
    ...standingOf(allowance, perMinute),
    retryAfterMs: isGranted ? 0 : Math.ceil((needed - available.left) / Math.max(perMinute, 1)),
  };
}

/** Returns what was taken and not used; takes it, into debt if need be, when `count` is negative. */
export function returnToAllowance(
  before: Allowance | undefined,
  perMinute: number,
  nowMs: number,
  count: number,
): Allowance {
  const { left, atMs } = refill(before, perMinute, nowMs);
  return { left: Math.min(Math.max(perMinute, 0) * MINUTE_MS, left + count * REQUEST), atMs };
}

/** The state of an allowance, without taking a request. */
export function peekAllowance(before: Allowance | undefined, perMinute: number, nowMs: number): AllowanceStanding {
  return standingOf(refill(before, perMinute, nowMs), perMinute);
}

function refill(before: Allowance | undefined, perMinute: number, nowMs: number): Allowance {
  const atMs = Math.floor(nowMs);
  if (perMinute <= 0) return { left: 0, atMs };
  const whole = perMinute * MINUTE_MS;
  if (before === undefined) return { left: whole, atMs };
  return { left: Math.min(whole, before.left + (atMs - before.atMs) * perMinute), atMs };
}

function standingOf({ left }: Allowance, perMinute: number): AllowanceStanding {
  if (perMinute <= 0) return { remaining: 0, resetMs: MINUTE_MS };
  return {
    remaining: Math.max(0, Math.floor(left / REQUEST)),
    resetMs: Math.ceil((perMinute * MINUTE_MS - left) / perMinute),
  };
}
