// This process as one of the nodes on a shared store: it keeps its lease, settles the responses of dead nodes, and
// stops the runs that other nodes ask it to stop. See docs/nodes.md
import type { Lease } from "../../ports/store/nodes.ts";
import type { Services } from "../../ports/services.ts";
import { settleOrphans } from "../run/orphans.ts";
import type { Runs } from "../run/runs.ts";
import { repeat } from "../repeat.ts";
import type { LostResponses } from "./lost-responses.ts";

/** A node counts as dead when another one has seen its lease unchanged for this long, by that one's monotonic clock. */
const LEASE_MS = 12_000;
const RENEW_EVERY_MS = 3000;
/** A renewal that failed is tried again after this long: the node is ready soon after the store is back. */
const RENEW_AGAIN_MS = 1000;
const REAP_EVERY_MS = 2000;
/** After a longer time without a look at the leases, nobody may have been able to renew them. */
const UNSEEN_MAX_MS = LEASE_MS / 2;
/** Interval of the check for responses of this node that nothing here runs. */
const LOST_RESPONSES_EVERY_MS = 2000;
/** Interval of the check for runs that other nodes want to stop, or whose responses they have ended. */
const LOOK_EVERY_MS = 500;

/** The membership of this process among the nodes. */
export interface Membership {
  /** Joins and starts to renew; on a store for one process it settles the responses of an earlier process. */
  start(): Promise<void>;
  /** Whether this node may take new work: false while its lease may be over, as when the store is out of reach. */
  isMember(): boolean;
  /**
   * Renews the lease now, or joins again, for a response that begins while `isMember` is false: the others would fail it.
   * Rejects with a StoreError.
   */
  renew(): Promise<void>;
  /** Whether another node takes new work; false when the store does not say. */
  othersServe(): Promise<boolean>;
  /** Leaves the others; resolves when the store is no longer used. Called when no response runs any more. */
  stop(): Promise<void>;
}

/** The lease of another node, and when it was first seen as it is, by the monotonic clock. */
interface SeenLease extends Lease {
  readonly sinceMs: number;
}

/** Creates the membership of a process. `name` and `version` are for people. */
export function createMembership(
  services: Services,
  { runs, lostResponses }: { readonly runs: Runs; readonly lostResponses: LostResponses },
  self: { readonly name: string; readonly version: string; readonly isDraining: () => boolean },
): Membership {
  const { nodes, clock, log } = services;
  if (nodes === null) {
    return {
      start: () => settleOrphans(services),
      isMember: () => true,
      renew: async () => {},
      othersServe: async () => false,
      stop: async () => {},
    };
  }
  const { name, version } = self;
  const [rootCheck = ""] = services.secrets.checkValues;
  /** When the lease is over at the latest, by the monotonic clock. */
  let leaseUntilMs = 0;
  let renewedMs = 0;
  let renewing: Promise<void> | null = null;
  /** The leases of the others at the last look. Their times are compared with each other only: the store's clock may step. */
  let leases = new Map<number, SeenLease>();
  let lookedMs = 0;
  let stopLoops: readonly (() => Promise<void>)[] = [];

  const join = async (): Promise<void> => {
    const sentMs = clock.monotonicMs();
    await nodes.join({ name, version, rootCheck, leaseMs: LEASE_MS });
    leaseUntilMs = sentMs + LEASE_MS;
    renewedMs = sentMs;
  };
  const renewOrJoin = async (): Promise<void> => {
    const sentMs = clock.monotonicMs();
    const isMember = await nodes.renew({ leaseMs: LEASE_MS, isDraining: self.isDraining() });
    if (isMember) {
      leaseUntilMs = sentMs + LEASE_MS;
      renewedMs = sentMs;
      return;
    }
    leaseUntilMs = 0;
    // Another node treats this one as dead and settles its responses as failed: their late results would be dropped.
    log.warn("node.expired");
    runs.stopAll();
    await join();
  };
  /** One at a time: who comes meanwhile waits for the same. */
  const renew = (): Promise<void> =>
    (renewing ??= renewOrJoin().finally(() => {
      renewing = null;
    }));
  const renewWhenDue = async (): Promise<void> => {
    if (clock.monotonicMs() - renewedMs >= RENEW_EVERY_MS) await renew();
  };
  const reap = async (): Promise<void> => {
    const sentMs = clock.monotonicMs();
    const found = await nodes.listLeases();
    const seenMs = clock.monotonicMs();
    // After an outage, or when the store or this process stood still, the other nodes get the time to renew theirs.
    const before = seenMs - lookedMs > UNSEEN_MAX_MS ? new Map<number, SeenLease>() : leases;
    lookedMs = seenMs;
    leases = new Map();
    for (const lease of found) {
      const last = before.get(lease.id);
      const seen = last?.leaseUntilMs === lease.leaseUntilMs ? last : { ...lease, sinceMs: seenMs };
      leases.set(lease.id, seen);
      if (sentMs - seen.sinceMs < LEASE_MS) continue;
      // oxlint-disable-next-line no-await-in-loop -- rare
      if (await nodes.expire(lease)) log.warn("node.lost", { lost: lease.name });
    }
    await settleOrphans(services);
  };
  /**
   * Stops the runs that others want to stop, and those whose responses others have ended: what they produce is lost.
   */
  const stopEnded = async (): Promise<void> => {
    // Read first: a response that begins meanwhile may be missing in what the store returns.
    const live = runs.all();
    if (live.length === 0) return;
    const stored = new Map((await nodes.listRunning()).map((response) => [response.id, response]));
    for (const run of live) if (stored.get(run.head.id)?.isStopRequested !== false) run.stop("cancelled");
  };
  return {
    async start() {
      await join();
      log.info("node.joined");
      const onError = (error: unknown) => log.warn("node.retry", {}, error);
      stopLoops = [
        repeat(clock, { everyMs: RENEW_AGAIN_MS, work: renewWhenDue, onError }),
        repeat(clock, { everyMs: REAP_EVERY_MS, work: reap, onError }),
        repeat(clock, { everyMs: LOST_RESPONSES_EVERY_MS, work: lostResponses.end, onError }),
        repeat(clock, { everyMs: LOOK_EVERY_MS, work: stopEnded, onError }),
      ];
    },
    isMember: () => clock.monotonicMs() < leaseUntilMs,
    renew,
    async othersServe() {
      const known = await nodes.listNodes().catch(() => []);
      return known.some(
        (node) => node.goneAtMs === null && !node.isLeaseOver && !node.isDraining && node.name !== name,
      );
    },
    async stop() {
      if (stopLoops.length === 0) return;
      const loops = stopLoops;
      stopLoops = [];
      await Promise.all(loops.map((stopLoop) => stopLoop()));
      await nodes.leave();
    },
  };
}
