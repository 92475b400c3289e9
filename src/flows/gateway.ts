// The state that lives as long as the service: the live runs, the remaining allowances, the order in which it ends.
import { pause } from "../ports/clock.ts";
import type { Occupancy } from "../ports/telemetry.ts";
import type { LaterSchema, StoreError } from "../ports/store/store.ts";
import type { Services } from "../ports/services.ts";
import { ADMISSION, type Admission, createAdmission } from "./overload/admission.ts";
import { type Allowances, createAllowances } from "./access/allowances.ts";
import { startErasingOrganizations, startStoppingDeleted } from "./upkeep/deleted-organizations.ts";
import { startHousekeeping } from "./upkeep/housekeeping.ts";
import { createOpenStreams, type OpenStreams } from "./access/open-streams.ts";
import { createSharedAllowances } from "./nodes/shared-allowances.ts";
import { createSharedStreams } from "./nodes/shared-streams.ts";
import { createMembership } from "./nodes/membership.ts";
import { createLostResponses, type LostResponses } from "./nodes/lost-responses.ts";
import { createOutputCapacity, type OutputCapacity } from "./run/output-capacity.ts";
import { type Circuits, createCircuits } from "./providers/circuits.ts";
import { createShortageReports } from "./money/shortage-reports.ts";
import { createRejections, type Rejections } from "./rejections/rejection-log.ts";
import { Runs } from "./run/runs.ts";
import { createHoldsAhead, type HoldsAhead } from "./money/holds-ahead.ts";

/** How long settling may take after the drain limit: an unavailable store may never come back. */
const SETTLING_SECONDS_MAX = 10;

/** What this process has for requests, shared by all of them. */
export interface Capacity {
  readonly admission: Admission;
  readonly runs: Runs;
  /** Responses that the store has as running here while nothing runs them. */
  readonly lostResponses: LostResponses;
  readonly allowances: Allowances;
  readonly openStreams: OpenStreams;
  readonly holdsAhead: HoldsAhead;
  readonly circuits: Circuits;
  readonly outputs: OutputCapacity;
  readonly rejections: Rejections;
  /** Whether the notice of the drain is over: new work gets a 503 `gateway_overloaded`. */
  isDraining(): boolean;
  /** Whether this process may take new work; false while it cannot know that it is still one of the nodes. */
  isMember(): boolean;
  /** Makes sure that it is one; see {@link Membership}. */
  renewMembership(): Promise<void>;
  /** Current use of slots, streams and admissions. */
  occupancy(): Occupancy;
}

/** What flows choose from: each names what it takes. */
export type AllServices = Services & Capacity;

/** The service from its start to its end. */
export interface LifeCycle {
  /** Whether a drain has begun: `/readyz` is 503. */
  isStopping(): boolean;
  /**
   * Settles the responses that were running when an earlier process died, or joins the other nodes of a shared store.
   * Awaited before the service listens.
   */
  recover(): Promise<void>;
  /** Why this process may serve nothing new: its program is older than the schema. Null: it may. */
  leftBehind(): LaterSchema | null;
  /** A later version has migrated the store: `/readyz` and all of `/v1` are 503 until a drain ends the process. */
  leaveBehind(error: LaterSchema): void;
  /** Leaves the other nodes; a drain does it too. Resolves when the membership no longer uses the store. */
  leave(): Promise<void>;
  /**
   * Starts hourly housekeeping, and for deleted organizations the end of their responses and the erasure of their
   * content. The result stops all of it and resolves when it no longer uses the store.
   */
  startHousekeeping(): () => Promise<void>;
  /** The store is lost: waiting requests fail with the error, streams end with their unresolved event. */
  giveUp(error: StoreError): void;
  /**
   * Stops the service: `/readyz` is 503 at once, new work is rejected after `drain_notice_seconds`, responses may
   * finish up to `drain_seconds`, and the rest is stopped and settled. Resolves when no response is running; rejects
   * when the store does not accept the settlements, which the next start then makes. `leaveAddress` is called before new
   * work is rejected, if other nodes can take it.
   */
  drain(leaveAddress?: () => Promise<void>): Promise<void>;
}

/** Both, for boot. */
export interface Gateway extends Capacity, LifeCycle {}

/** The name of this process among the nodes, for people, and the version of its program. */
export interface NodeName {
  readonly name: string;
  readonly version: string;
}

/** How long creates that arrived before the address was left may take to begin. */
const LAST_ARRIVALS_MS = 1000;

/** Creates the state of a service on its ports. */
export function createGateway(services: Services, self: NodeName): Gateway {
  const { limits, clock, nodes } = services;
  const runs = new Runs(limits.concurrent_turns, limits.queued_turns);
  const localStreams = createOpenStreams();
  const admission = createAdmission(ADMISSION, clock);
  const rejections = createRejections(services);
  let stopping = false;
  let draining = false;
  let leftBehind: LaterSchema | null = null;
  const openStreams = nodes === null ? localStreams : createSharedStreams(clock, nodes, localStreams, () => stopping);
  const lostResponses = createLostResponses(services, runs);
  const membership = createMembership(services, { runs, lostResponses }, { ...self, isDraining: () => stopping });
  return {
    admission,
    runs,
    lostResponses,
    allowances: nodes === null ? createAllowances(clock) : createSharedAllowances(clock, nodes),
    openStreams,
    circuits: createCircuits(clock),
    holdsAhead: createHoldsAhead(createShortageReports(services)),
    outputs: createOutputCapacity(limits.outputs_in_hand_bytes, clock),
    rejections,
    isStopping: () => stopping,
    leftBehind: () => leftBehind,
    leaveBehind(error) {
      leftBehind = error;
      // Without the notice of a drain.
      stopping = true;
    },
    isDraining: () => draining,
    occupancy: () => ({
      responsesRunning: runs.slots.running(),
      responsesQueued: runs.slots.queued(),
      createsAdmitted: admission.admitted(),
      openStreams: openStreams.count(),
      isDraining: draining,
      isMember: membership.isMember(),
    }),
    recover: membership.start,
    isMember: membership.isMember,
    renewMembership: membership.renew,
    leave: membership.stop,
    startHousekeeping: () => {
      const stops = [
        startHousekeeping(services),
        startErasingOrganizations(services),
        startStoppingDeleted(services, runs),
      ];
      return async () => void (await Promise.all(stops.map((stop) => stop())));
    },
    giveUp(error) {
      runs.failAll(error);
      openStreams.interruptAll();
    },
    async drain(leaveAddress) {
      const noticeMs = stopping ? 0 : limits.drain_notice_seconds * 1000;
      stopping = true;
      if (noticeMs > 0) await pause(clock, noticeMs);
      if (leaveAddress !== undefined && (await membership.othersServe())) {
        await leaveAddress();
        // Those that have arrived until now begin.
        await pause(clock, LAST_ARRIVALS_MS);
      }
      draining = true;
      const { promise: gaveUp, reject: giveUp } = Promise.withResolvers<never>();
      let stopTimer = clock.after(limits.drain_seconds * 1000, () => {
        openStreams.interruptAll();
        runs.stopAll();
        stopTimer = clock.after(SETTLING_SECONDS_MAX * 1000, () => giveUp(new Error("turns could not be settled")));
      });
      try {
        await Promise.race([runs.allEnded(), gaveUp]);
        await rejections.write();
        await membership.stop();
      } finally {
        stopTimer();
      }
    },
  };
}
