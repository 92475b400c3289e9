/** How long turns wait for a core of their database when they arrive at random. */
import { quantile } from "../load/latency.ts";
import { TURN } from "./costs.ts";
import { leastOf } from "./placement.ts";

export interface Queue {
  readonly turnsPerSecond: number;
  readonly cores: number;
  readonly seconds: number;
}

/**
 * Poisson arrivals, each of which keeps the first free core as long as a turn keeps PostgreSQL busy. Returns the waits,
 * milliseconds: their mean, median and 99th percentile.
 */
export function simulateQueue(
  { turnsPerSecond, cores, seconds }: Queue,
  random: () => number,
): { mean: number; p50: number; p99: number } {
  const freeAt = Array.from({ length: cores }, () => 0);
  const waits: number[] = [];
  for (let at = nextGap(turnsPerSecond, random); at < seconds; at += nextGap(turnsPerSecond, random)) {
    const first = leastOf(freeAt);
    const begins = Math.max(at, freeAt[first] ?? 0);
    freeAt[first] = begins + TURN.databaseCpuSeconds;
    waits.push((begins - at) * 1000);
  }
  const mean = waits.reduce((sum, each) => sum + each, 0) / waits.length;
  return { mean, p50: quantile(waits, 0.5), p99: quantile(waits, 0.99) };
}

/** Seconds until the next of events that happen at random, so many a second. */
export function nextGap(perSecond: number, random: () => number): number {
  return -Math.log(1 - random()) / perSecond;
}
