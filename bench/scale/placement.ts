/** Organizations of very different size, divided over shards. */
import { SHARD_TURNS } from "./costs.ts";

/** The turns a second of each organization, largest first: the nth has a share of 1/n^exponent (Zipf). */
export function zipfRates(organizations: number, exponent: number, turnsPerSecond: number): readonly number[] {
  const weights = Array.from({ length: organizations }, (_, at) => (at + 1) ** -exponent);
  const sum = weights.reduce((total, each) => total + each, 0);
  return weights.map((each) => (each / sum) * turnsPerSecond);
}

export interface Placement {
  /** The shard of each organization. */
  readonly shardOf: readonly number[];
  /** The turns a second of each shard. */
  readonly loads: readonly number[];
}

/** Each organization on a shard drawn at random, as a hash of its id would. */
export function placeByHash(rates: readonly number[], shards: number, random: () => number): Placement {
  return divide(rates, shards, () => Math.floor(random() * shards));
}

/**
 * An organization that would fill a shard gets one of its own; the others, largest first, go where the load is least.
 * `shards` counts the ordinary ones.
 */
export function placeByLoad(rates: readonly number[], shards: number): Placement {
  const alone = rates.filter((rate) => rate > SHARD_TURNS).length;
  return divide(rates, shards + alone, (at, loads) => (at < alone ? shards + at : leastOf(loads, shards)));
}

function divide(
  rates: readonly number[],
  shards: number,
  choose: (at: number, loads: readonly number[]) => number,
): Placement {
  const loads = Array.from({ length: shards }, () => 0);
  const shardOf = rates.map((rate, at) => {
    const shard = choose(at, loads);
    loads[shard] = (loads[shard] ?? 0) + rate;
    return shard;
  });
  return { shardOf, loads };
}

/** The place of the least number. */
export function leastOf(numbers: readonly number[], count = numbers.length): number {
  let least = 0;
  for (let at = 1; at < count; at++) if ((numbers[at] ?? 0) < (numbers[least] ?? 0)) least = at;
  return least;
}
