// How many creates may be in this process's own hands, on their way from arrival to begin and from their model's end to their settlement,
// and how many start in one turn of the event loop. That is the work that costs this process its time, however slow a provider is: what
// has begun goes first, what waits is bounded, what is over that is refused at once, so that what was let in stays quick. @spec errors (gateway_overloaded); docs/decisions/overload.md
import { Refusal } from "../../contract/errors.ts";
import { type Pace, paceAfter } from "../../core/pacing/pace.ts";
import type { Clock } from "../../ports/clock.ts";

export interface Admission {
  /** Does work when its turn comes; refuses 503 `gateway_overloaded` when too much is on its way: nothing was created. */
  during<T>(work: () => Promise<T>): Promise<T>;
  /** Does what a turn that has been let in still needs: counted like the rest, never refused. */
  finishing<T>(work: () => Promise<T>): Promise<T>;
  /** Refuses like `during`, for a request that has not been read yet. */
  refuseWhenFull(): void;
  /** How much is on its way. */
  admitted(): number;
}

export interface AdmissionSettings {
  /** Creates in hand at once, waiting ones included. */
  readonly max: number;
  /** Creates that may start in one turn of the event loop. */
  readonly startsPerTurn: Pace;
  /** So few that wait let those before them begin first; more of them do not wait for that. */
  readonly few: number;
  /** Creates that begin and turns that are settled at once; creates wait for that, settlements never do. */
  readonly atWorkMax: number;
}

/** The refusal of a create that there is no room for. */
export function overloaded(): Refusal {
  return new Refusal("gateway_overloaded", "The service is overloaded: nothing was created, try again.", {
    retryAfterSeconds: 1,
  });
}

export function createAdmission(settings: AdmissionSettings, clock: Clock): Admission {
  const { max, startsPerTurn, few, atWorkMax } = settings;
  const { least } = startsPerTurn;
  let admitted = 0;
  let beginning = 0;
  let finishing = 0;
  let started = 0;
  let mayStart = least;
  let turnedAtMs = 0;
  let isTurning = false;
  const waiting: (() => void)[] = [];

  /** The next turn of the event loop: whoever waited longest starts first. */
  function turn(): void {
    isTurning = false;
    const nowMs = clock.monotonicMs();
    mayStart = startsAfter(nowMs - turnedAtMs);
    turnedAtMs = nowMs;
    started = 0;
    // Else all of a small wave would reach their models late: the first would wait for the last to be read and planned.
    if (beginning >= least && waiting.length <= few) return;
    for (const start of waiting.splice(0, mayStart)) {
      started++;
      start();
    }
    if (started > 0) turnLater();
  }

  /** What is over `atWorkMax` starts when something at work has ended, which asks for another turn. */
  function startsAfter(lastTurnMs: number): number {
    const room = Math.max(0, atWorkMax - beginning - finishing);
    return Math.min(room, paceAfter(startsPerTurn, lastTurnMs));
  }

  function workEnded(): void {
    if (waiting.length > 0) turnLater();
  }

  function turnLater(): void {
    if (isTurning) return;
    isTurning = true;
    if (started === 0) turnedAtMs = clock.monotonicMs();
    setImmediate(turn);
  }

  function refuseWhenFull(): void {
    if (admitted >= max) throw overloaded();
  }

  return {
    refuseWhenFull,
    async during(work) {
      refuseWhenFull();
      admitted++;
      try {
        turnLater();
        if (started >= mayStart || waiting.length > 0) await new Promise<void>((start) => waiting.push(start));
        else started++;
        beginning++;
        return await work().finally(() => {
          beginning--;
          workEnded();
        });
      } finally {
        admitted--;
      }
    },
    async finishing(work) {
      admitted++;
      finishing++;
      try {
        return await work();
      } finally {
        admitted--;
        finishing--;
        workEnded();
      }
    },
    admitted: () => admitted,
  };
}
