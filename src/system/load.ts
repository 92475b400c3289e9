// Measures event loop lag, and decides whether it is too high to accept new turns.
import type { Clock } from "../ports/clock.ts";
import type { Load } from "../ports/load.ts";

/** Sampling interval, milliseconds: fifty timers a second cost about 0.1 % of a core. */
export const SAMPLE_MS = 20;
/**
 * Smoothed lag above which new responses are rejected, milliseconds. The limit on admitted creates sheds load long
 * before that (docs/decisions/overload.md); this is a last resort, for a loop that is blocked by something else. The
 * examples of Fastify's under-pressure use the same value.
 */
const OVERLOADED_FROM_MS = 1000;
/** Smoothed lag below which they are accepted again: half, as hysteresis. */
const RELIEVED_BELOW_MS = 500;
/** Time constant of rising lag: a stall of one second is tolerated. */
const RISE_MS = 1000;
/** Time constant of falling lag: responses are accepted again within a second after a stall. */
const FALL_MS = 300;
/** Cap of one sample: a process that was suspended for a minute is not overloaded for a minute. */
const SAMPLE_LAG_MAX = 5000;

/** A load meter that samples until it is stopped. */
export interface LoadMeter extends Load {
  stop(): void;
}

/** Starts measuring how late timers fire. */
export function startLoadMeter(clock: Clock): LoadMeter {
  let smoothed = 0;
  let isOverloaded = false;
  let sampledAt = clock.monotonicMs();
  let stopTimer = clock.after(SAMPLE_MS, sample);

  function sample() {
    const now = clock.monotonicMs();
    const elapsed = now - sampledAt;
    const lag = Math.min(SAMPLE_LAG_MAX, Math.max(0, elapsed - SAMPLE_MS));
    const constant = lag > smoothed ? RISE_MS : FALL_MS;
    // Weighted by elapsed time: late samples are few and would otherwise count too little.
    smoothed += (lag - smoothed) * (1 - Math.exp(-elapsed / constant));
    isOverloaded = smoothed > (isOverloaded ? RELIEVED_BELOW_MS : OVERLOADED_FROM_MS);
    sampledAt = now;
    stopTimer = clock.after(SAMPLE_MS, sample);
  }

  return { isOverloaded: () => isOverloaded, stop: () => stopTimer() };
}
