// Allowances: how many requests of a class an organization may make a minute. A bucket that refills evenly: a
// burst gets what is left of it at once and the rest at its pace, and no minute's edge hands out a second one. @spec limits; docs/wire.md (rate-limit headers)

const MINUTE_MS = 60_000;
/** One request in the units of `Allowance.left`. */
const REQUEST = MINUTE_MS;

/** What is left of an allowance. */
export interface Allowance {
  /**
   * In sixty-thousandths of a request: what an allowance of one a minute gains in a millisecond. A whole number, so that rounding
   * never keeps back a request that was promised.
   */
  readonly left: number;
  /** When that was so, whole milliseconds of a clock that never runs backwards. */
  readonly atMs: number;
}

export interface AllowanceStanding {
  /** Whole requests left. */
  readonly remaining: number;
  /** Until the allowance is whole again, milliseconds. */
  readonly resetMs: number;
}

export interface AllowanceVerdict extends AllowanceStanding {
  readonly allowance: Allowance;
  readonly isGranted: boolean;
  /** Until one more request is granted, milliseconds; 0 when this one was. */
  readonly retryAfterMs: number;
}

/** Draws one request on an allowance of `perMinute`; `before` is undefined when nothing was drawn yet. */
export function drawAllowance(before: Allowance | undefined, perMinute: number, nowMs: number): AllowanceVerdict {
  const available = refill(before, perMinute, nowMs);
  const isGranted = available.left >= REQUEST;
  const allowance = isGranted ? { left: available.left - REQUEST, atMs: available.atMs } : available;
  return {
    allowance,
    isGranted,
    ...standingOf(allowance, perMinute),
    retryAfterMs: isGranted ? 0 : Math.ceil((REQUEST - allowance.left) / Math.max(perMinute, 1)),
  };
}

/** What an allowance stands at, with nothing drawn. */
export function lookAtAllowance(before: Allowance | undefined, perMinute: number, nowMs: number): AllowanceStanding {
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
    remaining: Math.floor(left / REQUEST),
    resetMs: Math.ceil((perMinute * MINUTE_MS - left) / perMinute),
  };
}
