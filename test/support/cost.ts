// The cost of a longer input relative to a shorter one: a ratio of CPU times, the same on slow and busy machines.

/** Measurements of each length; the quickest counts, since only something else makes one slower. */
const RUNS = 5;
/** Shortest time that is measured, milliseconds: work that takes less is done several times. */
const MEASURED_MS = 20;
/** Most measurements of the ratio. Linear work passes at the first one unless a collection of garbage falls into each of its runs. */
const TRIES = 3;

/** Between linear, 8, and quadratic, 64. */
export const COST_RATIO_MAX = 32;

/** How many times longer work of `8 * size` takes than work of `size`: the least of several tries. */
export function costRatio(size: number, work: (size: number) => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES && least >= COST_RATIO_MAX; tries++) least = Math.min(least, ratioOf(size, work));
  return least;
}

function ratioOf(size: number, work: (size: number) => unknown): number {
  const short = () => void work(size);
  // The first run is slow: V8 compiles meanwhile.
  short();
  const times = Math.ceil(MEASURED_MS / Math.max(1, measure(short, 1)));
  return quickest(() => void work(8 * size), times) / Math.max(1, quickest(short, times));
}

function quickest(work: () => void, times: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS; run++) {
    best = Math.min(best, measure(work, times));
    // Enough to show that it is far too slow.
    if (best > 5_000) break;
  }
  return best;
}

/** CPU milliseconds of this thread, without waiting for a core and without V8's helper threads. */
function measure(work: () => void, times: number): number {
  const before = process.threadCpuUsage();
  for (let time = 0; time < times; time++) work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
