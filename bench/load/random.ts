/** Reproducible random numbers: every side of a comparison gets the same arrivals. */

/** A generator of numbers in [0, 1) (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Arrival times, milliseconds, of a Poisson process with `rate` per second over `seconds`. */
export function poissonArrivals(rate: number, seconds: number, seed: number): readonly number[] {
  const random = seededRandom(seed);
  const arrivals: number[] = [];
  for (let at = 0; at < seconds * 1000; at += (-Math.log(1 - random()) * 1000) / rate) arrivals.push(at);
  return arrivals;
}
