/** An organization moves to another shard while it is served: copy, catch up, switch. */
import { COPY_BYTES_PER_SECOND, MAP_SECONDS, TURN } from "./costs.ts";
import { nextGap } from "./queue.ts";

export interface Moving {
  readonly turnsPerSecond: number;
  readonly storedBytes: number;
  /** How long running turns are waited for during the switch; those that last longer fail. */
  readonly drainSeconds: number;
}

export interface Move {
  readonly copySeconds: number;
  readonly passes: number;
  /** The 503 of this organization. */
  readonly refusedSeconds: number;
  /** Turns that outlast the wait. */
  readonly cut: number;
}

/** What is left when it is no longer worth another pass, seconds of copying. */
const LEFT_SECONDS = 0.5;
/** A turn lasts 4 seconds at the median, 60 for one in a hundred (log-normal). */
const MEDIAN_SECONDS = 4;
const SPREAD = Math.log(60 / MEDIAN_SECONDS) / 2.326;

/**
 * Each pass copies what was written during the one before. Then creates get a 503 until running turns have ended, the
 * rest is copied and the routers have the new map. A Poisson process of turns with a random duration says how many run. Null when more
 * is written than a copy can follow.
 */
export function moveOrganization(
  { turnsPerSecond, storedBytes, drainSeconds }: Moving,
  random: () => number,
): Move | null {
  const written = turnsPerSecond * TURN.storedBytes;
  if (written >= COPY_BYTES_PER_SECOND) return null;
  let left = storedBytes / COPY_BYTES_PER_SECOND;
  let [copySeconds, passes] = [0, 0];
  do {
    copySeconds += left;
    passes++;
    left = (left * written) / COPY_BYTES_PER_SECOND;
  } while (left > LEFT_SECONDS);
  const ends = runningTurns(turnsPerSecond, random);
  const last = Math.min(
    drainSeconds,
    ends.reduce((latest, each) => Math.max(latest, each), 0),
  );
  return {
    copySeconds,
    passes,
    refusedSeconds: last + left + MAP_SECONDS,
    cut: ends.filter((each) => each > drainSeconds).length,
  };
}

/** In how many seconds each of the turns ends that run at a moment. */
function runningTurns(turnsPerSecond: number, random: () => number): readonly number[] {
  const lookBackSeconds = 600;
  const ends: number[] = [];
  for (let ago = nextGap(turnsPerSecond, random); ago < lookBackSeconds; ago += nextGap(turnsPerSecond, random)) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const duration = MEDIAN_SECONDS * Math.exp(SPREAD * normal);
    if (duration > ago) ends.push(duration - ago);
  }
  return ends;
}
