// Allowances: how many requests of a class an organization may make a minute. A bucket that refills evenly, so that no burst at a
// minute's edge gets twice the allowance. @spec limits; docs/wire.md (rate-limit headers)

const MINUTE_MS = 60_000;

/** What is left of an allowance. */
export interface Allowance {
  readonly left: number;
  /** When that was so, milliseconds of a clock that never runs backwards. */
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
  if (perMinute <= 0) {
    return {
      allowance: { left: 0, atMs: nowMs },
      isGranted: false,
      remaining: 0,
      resetMs: MINUTE_MS,
      retryAfterMs: MINUTE_MS,
    };
  }
  const perMs = perMinute / MINUTE_MS;
  const refilled = before === undefined ? perMinute : before.left + (nowMs - before.atMs) * perMs;
  const available = Math.min(perMinute, refilled);
  const isGranted = available >= 1;
  const left = isGranted ? available - 1 : available;
  return {
    allowance: { left, atMs: nowMs },
    isGranted,
    remaining: Math.floor(left),
    resetMs: Math.ceil((perMinute - left) / perMs),
    retryAfterMs: isGranted ? 0 : Math.ceil((1 - left) / perMs),
  };
}
