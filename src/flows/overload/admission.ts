// Bounds the creates that this process works on: from arrival to begin, and from the end of the model's output to settlement. While a
// provider runs, a turn costs hardly any time here. Begun work goes first, waiting creates are bounded, and the rest is rejected at once, so
// that what is admitted stays fast. @spec errors (gateway_overloaded); docs/decisions/overload.md
import { ApiError } from "../../contract/errors.ts";
import { type Pace, paceAfter } from "../../base/pace.ts";
import type { Clock } from "../../ports/clock.ts";

export interface Admission {
  /**
   * Does the work of a create when it is admitted. Throws 503 `gateway_overloaded` when too many creates are admitted:
   * nothing was created.
   */
  during<T>(work: () => Promise<T>): Promise<T>;
  /** Does later work of an admitted turn, such as its settlement: counted like creates, never rejected. */
  finishing<T>(work: () => Promise<T>): Promise<T>;
  /** Throws like `during`, for a request that has not been read yet. */
  assertNotFull(): void;
  /** How many creates and settlements are admitted. */
  admitted(): number;
}

export interface AdmissionSettings {
  /** Creates admitted at once, waiting ones included. */
  readonly max: number;
  /** Creates that may start in one turn of the event loop. */
  readonly startsPerTurn: Pace;
  /** Up to this many waiting creates let earlier ones begin first. */
  readonly few: number;
  /** Creates that begin plus turns that settle at once; creates wait for room, settlements do not. */
  readonly atWorkMax: number;
}

/** The 503 for a create without room. */
export function overloadedError(): ApiError {
  return new ApiError("gateway_overloaded", "The service is overloaded: nothing was created, try again.", {
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

  /** Runs in the next turn of the event loop: the creates that waited longest start first. */
  function turn(): void {
    isTurning = false;
    const nowMs = clock.monotonicMs();
    mayStart = startsAfter(nowMs - turnedAtMs);
    turnedAtMs = nowMs;
    started = 0;
    // Otherwise every create of a small burst would reach its model late: the first would wait until the last is read and planned.
    if (beginning >= least && waiting.length <= few) return;
    for (const start of waiting.splice(0, mayStart)) {
      started++;
      start();
    }
    if (started > 0) turnLater();
  }

  /** Creates beyond `atWorkMax` start when earlier work ends, which schedules another turn. */
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

  function assertNotFull(): void {
    if (admitted >= max) throw overloadedError();
  }

  return {
    assertNotFull,
    async during(work) {
      assertNotFull();
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
