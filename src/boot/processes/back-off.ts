// When a process that has ended is started again.

/** A process that has lived this long did not end because it cannot start, milliseconds. */
const STEADY_MS = 10_000;
const FIRST_DELAY_MS = 500;
const DELAY_MAX_MS = 30_000;

/**
 * How long to wait before a process is started again, milliseconds: not at all after a long life, and twice as long each
 * time after a short one.
 */
export function delayOfRestart(livedMs: number, lastDelayMs: number): number {
  if (livedMs >= STEADY_MS) return 0;
  return lastDelayMs === 0 ? FIRST_DELAY_MS : Math.min(2 * lastDelayMs, DELAY_MAX_MS);
}
