// Time comes through this port, so that nothing in a test sleeps.

/** Stops a timer; harmless when it has fired. */
export type StopTimer = () => void;

export interface Clock {
  /** Wall clock, milliseconds since 1970: for what is shown and stored. */
  nowMs(): number;
  /** Never runs backwards, milliseconds: for durations and waits. */
  monotonicMs(): number;
  /** Calls back once after that many milliseconds. */
  after(milliseconds: number, callback: () => void): StopTimer;
}

/** Now in Unix seconds. */
export function nowSeconds(clock: Clock): number {
  return Math.floor(clock.nowMs() / 1000);
}
