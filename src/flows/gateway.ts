// What lives as long as the service: its world, the runs under way, what is left of the allowances.
import type { Occupancy } from "../ports/telemetry.ts";
import type { Pace } from "../core/pacing/pace.ts";
import type { World } from "../ports/world.ts";
import { type Admission, createAdmission } from "./admission/admission.ts";
import { type Allowances, createAllowances } from "./admission/allowances.ts";
import { startHousekeeping } from "./housekeeping.ts";
import { createOpenStreams, type OpenStreams } from "./admission/open-streams.ts";
import { settleOrphans } from "./run/orphans.ts";
import { Runs } from "./run/runs.ts";

/** Creates in hand at once: what the busiest closed loop of the bench holds. More would wait longer, and get no more done. */
const ADMITTED_MAX = 256;
/**
 * Creates that start in one turn of the event loop. More share a commit and its message (P1), fewer keep the loop's turns short (P14) and
 * bring the first of many to their first delta while the last still wait (P5). A long turn lets more start, so that those that wait are not
 * starved, but no more than `most`: else they would make the next turn longer still. Measured, see docs/decisions/overload.md.
 */
const STARTS_PER_TURN: Pace = { least: 8, most: 48, perMs: 5 };
/** Waiting creates that let those before them begin first; beyond that, commits that more of them share count for more. */
const FEW_WAITING = 32;
/** How long past the drain limit turns may take to be settled, seconds: a store that is out of reach may never come back. */
const SETTLING_SECONDS_MAX = 10;
/** Enough to share commits (P1); what waits before it begins leaves a collection of young objects less to copy (P14). */
const AT_WORK_MAX = 64;

export interface Gateway {
  readonly world: World;
  readonly admission: Admission;
  readonly runs: Runs;
  readonly allowances: Allowances;
  readonly openStreams: OpenStreams;
  /** Whether the service is stopping: new work is refused with 503 `gateway_overloaded`. */
  isDraining(): boolean;
  /** What is occupied at this moment. */
  occupancy(): Occupancy;
  /** Settles the turns that were running when an earlier process died; awaited before the service listens. */
  recover(): Promise<void>;
  /** Erasure and forgetting, now and every hour. Calling the result ends it, and resolves when it has let go of the store. */
  startHousekeeping(): () => Promise<void>;
  /**
   * Refuses new work, lets turns finish up to the drain limit, settles the rest; resolves when no turn is running, rejects when the store
   * does not take their settlements: the next start settles them.
   */
  drain(): Promise<void>;
}

/** Puts the service together. */
export function createGateway(world: World): Gateway {
  const { limits, clock } = world;
  const runs = new Runs(limits.concurrent_turns, limits.queued_turns);
  const openStreams = createOpenStreams();
  const admission = createAdmission(
    { max: ADMITTED_MAX, startsPerTurn: STARTS_PER_TURN, few: FEW_WAITING, atWorkMax: AT_WORK_MAX },
    clock,
  );
  let draining = false;
  return {
    world,
    admission,
    runs,
    allowances: createAllowances(clock),
    openStreams,
    isDraining: () => draining,
    occupancy: () => ({
      turnsRunning: runs.slots.running(),
      turnsQueued: runs.slots.queued(),
      createsAdmitted: admission.admitted(),
      openStreams: openStreams.count(),
      isDraining: draining,
    }),
    recover: () => settleOrphans(world),
    startHousekeeping: () => startHousekeeping(world),
    async drain() {
      draining = true;
      const { promise: gaveUp, reject: giveUp } = Promise.withResolvers<never>();
      let stopTimer = clock.after(limits.drain_seconds * 1000, () => {
        openStreams.interruptAll();
        runs.stopAll();
        stopTimer = clock.after(SETTLING_SECONDS_MAX * 1000, () => giveUp(new Error("turns could not be settled")));
      });
      try {
        await Promise.race([runs.allEnded(), gaveUp]);
      } finally {
        stopTimer();
      }
    },
  };
}
