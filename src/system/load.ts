// How late the event loop is, and whether that is too late to take on new turns.
import type { Clock } from "../ports/clock.ts";
import type { Load } from "../ports/load.ts";

/** Time between two samples, milliseconds: fifty timers a second cost some 0.1 % of a core. */
export const SAMPLE_MILLISECONDS = 20;
/**
 * Smoothed lateness from which new turns are refused, milliseconds. The limit on creates under way sheds load long before that
 * (docs/decisions/overload.md); this is the last line, for a loop that is held up by something else. Fastify's under-pressure takes
 * the same in its examples.
 */
const OVERLOADED_FROM_MILLISECONDS = 1000;
/** Smoothed lateness below which they are taken again: half, so that it does not flutter. */
const RELIEVED_BELOW_MILLISECONDS = 500;
/** Time constant of rising lateness: a stall of a second passes. */
const RISE_MILLISECONDS = 1000;
/** Time constant of falling lateness: after a stall is over, turns are taken again within a second. */
const FALL_MILLISECONDS = 300;
/** What one sample counts at most: a process that was stopped for a minute is not overloaded for a minute. */
const SAMPLE_LATENESS_MAX = 5000;

/** A load meter that samples until it is stopped. */
export interface LoadMeter extends Load {
  stop(): void;
}

/** Starts measuring how late timers fire. */
export function startLoadMeter(clock: Clock): LoadMeter {
  let smoothed = 0;
  let isOverloaded = false;
  let sampledAt = clock.monotonicMs();
  let stopTimer = clock.after(SAMPLE_MILLISECONDS, sample);

  function sample() {
    const now = clock.monotonicMs();
    const elapsed = now - sampledAt;
    const lateness = Math.min(SAMPLE_LATENESS_MAX, Math.max(0, elapsed - SAMPLE_MILLISECONDS));
    const constant = lateness > smoothed ? RISE_MILLISECONDS : FALL_MILLISECONDS;
    // Weighted by the time a sample stands for: late samples are few, and would else count for little.
    smoothed += (lateness - smoothed) * (1 - Math.exp(-elapsed / constant));
    isOverloaded = smoothed > (isOverloaded ? RELIEVED_BELOW_MILLISECONDS : OVERLOADED_FROM_MILLISECONDS);
    sampledAt = now;
    stopTimer = clock.after(SAMPLE_MILLISECONDS, sample);
  }

  return { isOverloaded: () => isOverloaded, stop: () => stopTimer() };
}
