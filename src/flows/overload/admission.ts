// Bounds the creates that this process works on: from arrival to begin, and from the end of the model's output to
// settlement. While a provider runs, a turn costs hardly any time here. Begun work goes first, waiting creates are
// bounded, and the rest is rejected at once, so that what is admitted stays fast. A loop turn is one turn of the event
// loop. @spec errors (gateway_overloaded); docs/decisions/overload.md
import { ApiError } from "../../contract/errors.ts";
import { FairCapacity, type Owner } from "../../base/fair-capacity.ts";
import { FairQueue } from "../../base/fair-queue.ts";
import { type Pace, paceAfter } from "../../base/pace.ts";
import type { Clock } from "../../ports/clock.ts";

/** The creates and settlements that this process works on. */
export interface Admission {
  /**
   * Does the work of a create when it is admitted; organizations and keys take turns. Throws 503 `gateway_overloaded`
   * when too many creates are admitted, or too many of its owner: nothing was created.
   */
  during<T>(owner: Owner, work: () => Promise<T>): Promise<T>;
  /** Does later work of an admitted turn, such as its settlement: counted like creates, never rejected. */
  finishing<T>(work: () => Promise<T>): Promise<T>;
  /** Throws like `during`, for a request that has not been read yet. */
  assertNotFull(): void;
  /** Throws like `during` when too many creates of its owner are admitted. */
  assertRoom(owner: Owner): void;
  /** How many creates and settlements are admitted. */
  admitted(): number;
}

/** How many creates are admitted, start and are worked on. */
export interface AdmissionSettings {
  /** Creates admitted at once, waiting ones included. */
  readonly max: number;
  /** Creates that may start in one loop turn. */
  readonly startsPerTurn: Pace;
  /** Up to this many waiting creates let earlier ones begin first. */
  readonly fewWaiting: number;
  /** Creates that begin plus turns that settle at once; creates wait for room, settlements do not. */
  readonly atWorkMax: number;
}

/** A create that waits until it may start. */
interface Waiting {
  start(): void;
}

/** The settings of the service, as measured in docs/decisions/overload.md. */
export const ADMISSION: AdmissionSettings = {
  // A key alone has 72 % of them: as many as the busiest closed loop of the bench. More would only wait longer.
  max: 360,
  // More of them share a commit; fewer keep loop turns short and bring the first creates to their first delta while the
  // last still wait. A long loop turn lets more start, so that waiting creates are not starved, but at most `most`,
  // which bounds the length of the next one.
  startsPerTurn: { least: 8, most: 48, perMs: 5 },
  // With more of them, sharing commits gains more.
  fewWaiting: 32,
  // Enough to share commits. A create that waits before it begins leaves the garbage collector fewer young objects to
  // copy.
  atWorkMax: 64,
};

/** The 503 for a create without room. */
export function overloadedError(): ApiError {
  return new ApiError("gateway_overloaded", "The service is overloaded: nothing was created, try again.");
}

/** Creates the admission of a process. */
export function createAdmission(settings: AdmissionSettings, clock: Clock): Admission {
  const { max, startsPerTurn, fewWaiting, atWorkMax } = settings;
  const { least } = startsPerTurn;
  let admitted = 0;
  let beginning = 0;
  let finishing = 0;
  /** Creates that have started in this loop turn, and how many may. */
  let started = 0;
  let mayStart = least;
  let loopTurnBeganMs = 0;
  let isScheduled = false;
  const shares = new FairCapacity(max);
  const waiting = new FairQueue<Waiting>();

  /** Runs once in a loop turn while creates arrive or wait: those that waited longest start first. */
  function beginLoopTurn(): void {
    isScheduled = false;
    const nowMs = clock.monotonicMs();
    mayStart = startsAfter(nowMs - loopTurnBeganMs);
    loopTurnBeganMs = nowMs;
    started = 0;
    // Otherwise every create of a small burst would reach its model late: the first would wait until the last is read
    // and planned.
    if (beginning >= least && waiting.size <= fewWaiting) return;
    while (started < mayStart) {
      const next = waiting.takeNext();
      if (next === undefined) break;
      started++;
      next.start();
    }
    if (started > 0) scheduleLoopTurn();
  }

  /** Creates beyond `atWorkMax` start when earlier work ends, which schedules another loop turn. */
  function startsAfter(lastLoopTurnMs: number): number {
    const room = Math.max(0, atWorkMax - beginning - finishing);
    return Math.min(room, paceAfter(startsPerTurn, lastLoopTurnMs));
  }

  function workEnded(): void {
    if (waiting.size > 0) scheduleLoopTurn();
  }

  function scheduleLoopTurn(): void {
    if (isScheduled) return;
    isScheduled = true;
    if (started === 0) loopTurnBeganMs = clock.monotonicMs();
    setImmediate(beginLoopTurn);
  }

  function assertNotFull(): void {
    if (admitted >= max) throw overloadedError();
  }

  function assertRoom(owner: Owner): void {
    if (shares.roomOf(owner) < 1) throw overloadedError();
  }

  return {
    assertNotFull,
    assertRoom,
    async during(owner, work) {
      assertNotFull();
      assertRoom(owner);
      shares.take(owner, 1);
      admitted++;
      try {
        scheduleLoopTurn();
        if (started >= mayStart || waiting.size > 0) {
          await new Promise<void>((start) => void waiting.add(owner, { start }));
        } else started++;
        beginning++;
        return await work().finally(() => {
          beginning--;
          workEnded();
        });
      } finally {
        admitted--;
        shares.giveBack(owner, 1);
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
