// The clock, as a port, so that no test has to sleep.

/** Stops a timer; has no effect after it fired. */
export type StopTimer = () => void;

export interface Clock {
  /** Wall clock, milliseconds since 1970: for values that are shown or stored. */
  nowMs(): number;
  /** Monotonic clock, milliseconds: for durations and timeouts. */
  monotonicMs(): number;
  /** Calls `callback` once after a delay. */
  after(milliseconds: number, callback: () => void): StopTimer;
}

/** Now in Unix seconds. */
export function nowSeconds(clock: Clock): number {
  return secondsOf(clock.nowMs());
}

/** A time in Unix milliseconds as Unix seconds, rounded down. */
export function secondsOf(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

/** Resolves after a delay, or at once when `signal` is aborted. */
export function pause(clock: Pick<Clock, "after">, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      stopTimer();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const stopTimer = clock.after(milliseconds, end);
    signal?.addEventListener("abort", end);
    if (signal?.aborted) end();
  });
}
