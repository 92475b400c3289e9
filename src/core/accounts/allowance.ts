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

export interface AllowanceVerdict {
  readonly allowance: Allowance;
  readonly isGranted: boolean;
  readonly remaining: number;
  /** Until the allowance is whole again, milliseconds. */
  readonly resetMs: number;
  /** Until one more request is granted, milliseconds; 0 when this one was. */
  readonly retryAfterMs: number;
}

/** Draws one request on an allowance of `perMinute`; `before` is undefined when nothing was drawn yet. */
export function drawAllowance(before: Allowance | undefined, perMinute: number, nowMs: number): AllowanceVerdict {
  const atMs = Math.floor(nowMs);
  if (perMinute <= 0) {
    return {
      allowance: { left: 0, atMs },
      isGranted: false,
      remaining: 0,
      resetMs: MINUTE_MS,
      retryAfterMs: MINUTE_MS,
    };
  }
  const whole = perMinute * MINUTE_MS;
  const refilled = before === undefined ? whole : before.left + (atMs - before.atMs) * perMinute;
  const available = Math.min(whole, refilled);
  const isGranted = available >= REQUEST;
  const left = isGranted ? available - REQUEST : available;
  return {
    allowance: { left, atMs },
    isGranted,
    remaining: Math.floor(left / REQUEST),
    resetMs: Math.ceil((whole - left) / perMinute),
    retryAfterMs: isGranted ? 0 : Math.ceil((REQUEST - left) / perMinute),
  };
}
