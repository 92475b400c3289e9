// How many creates may be on their way from arrival to begin, and how many start in one turn of the event loop. They are the work
// that costs this process its time: what has begun goes first, what waits is bounded, what is over that is refused at once, so that
// what was let in stays quick. @spec errors (gateway_overloaded); docs/decisions/overload.md
import { Refusal } from "../contract/errors.ts";
import type { Clock } from "../ports/clock.ts";

export interface Admission {
  /** Does work when its turn comes; refuses 503 `gateway_overloaded` when too much is on its way: nothing was created. */
  during<T>(work: () => Promise<T>): Promise<T>;
  /** How much is on its way. */
  admitted(): number;
}

export interface AdmissionSettings {
  /** Creates on their way at once, waiting ones included. */
  readonly max: number;
  /** Creates that may start in one turn of the event loop, however short. */
  readonly startsPerTurn: number;
  /** Creates that may start for each millisecond that a turn took: a long turn must not starve those that wait. */
  readonly startsPerMs: number;
}

export function createAdmission({ max, startsPerTurn, startsPerMs }: AdmissionSettings, clock: Clock): Admission {
  let admitted = 0;
  let started = 0;
  let mayStart = startsPerTurn;
  let turnedAtMs = 0;
  let isTurning = false;
  const waiting: (() => void)[] = [];

  /** The next turn of the event loop: whoever waited longest starts first. */
  function turn(): void {
    isTurning = false;
    const nowMs = clock.monotonicMs();
    mayStart = Math.max(startsPerTurn, Math.ceil((nowMs - turnedAtMs) * startsPerMs));
    turnedAtMs = nowMs;
    started = 0;
    for (const start of waiting.splice(0, mayStart)) {
      started++;
      start();
    }
    if (started > 0) turnLater();
  }

  function turnLater(): void {
    if (isTurning) return;
    isTurning = true;
    if (started === 0) turnedAtMs = clock.monotonicMs();
    setImmediate(turn);
  }

  return {
    async during(work) {
      if (admitted >= max) {
        throw new Refusal("gateway_overloaded", "The service is overloaded: nothing was created, try again.", {
          retryAfterSeconds: 1,
        });
      }
      admitted++;
      try {
        turnLater();
        if (started >= mayStart) await new Promise<void>((start) => waiting.push(start));
        else started++;
        return await work();
      } finally {
        admitted--;
      }
    },
    admitted: () => admitted,
  };
}
