// The system clock.
import type { Clock, StopTimer } from "../ports/clock.ts";

/** The longest delay of a Node timer, milliseconds; a longer one would fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** The wall clock, the monotonic clock and the timers of this process. A pending timer keeps the process alive. */
export function createSystemClock(): Clock {
  return {
    nowMs: () => Date.now(),
    monotonicMs: () => performance.now(),
    after: startTimer,
  };
}

function startTimer(milliseconds: number, callback: () => void): StopTimer {
  if (milliseconds <= TIMER_MS_MAX) {
    const timer = setTimeout(callback, Math.max(0, milliseconds));
    return () => clearTimeout(timer);
  }
  // A delay of more than 24 days is split.
  let stopCurrent = startTimer(TIMER_MS_MAX, () => {
    stopCurrent = startTimer(milliseconds - TIMER_MS_MAX, callback);
  });
  return () => stopCurrent();
}
