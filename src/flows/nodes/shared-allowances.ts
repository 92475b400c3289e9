// Allowances that several nodes share: each draws ahead while plenty is left. @spec limits; docs/nodes.md
import { MINUTE_MS } from "../../base/time.ts";
import type { AllowanceClass } from "../../contract/routes.ts";
import type { Clock } from "../../ports/clock.ts";
import type { DrawnAllowance, NodeStore } from "../../ports/store/nodes.ts";
import type { Allowances } from "../access/allowances.ts";
import { createReserve, type Reserve } from "./reserve.ts";

/** The reserve of one allowance, and its last known state. */
interface Shared {
  readonly perMinute: number;
  readonly reserve: Reserve<DrawnAllowance>;
  last: DrawnAllowance | null;
  /** When that was, of a monotonic clock. */
  lastMs: number;
}

/** Allowances that are remembered; those that are forgotten ask the store again. */
const REMEMBERED_MAX = 10_000;

/** Exact for all nodes together. Rejects with a StoreError when the store is out of reach. */
export function createSharedAllowances(clock: Clock, nodes: NodeStore): Allowances {
  const shared = new Map<string, Shared>();
  const find = (ownerId: string, allowanceClass: AllowanceClass, perMinute: number): Shared => {
    const key = `${allowanceClass} ${ownerId}`;
    const known = shared.get(key);
    if (known?.perMinute === perMinute) return known;
    const allowance = { ownerId, allowanceClass, perMinute };
    const reserve = createReserve<DrawnAllowance>(clock, {
      draw: (wanted) => nodes.drawAllowance({ ...allowance, wanted }),
      // What cannot be returned is lost until the allowance refills; it is never given out twice.
      giveBack: async (count) => {
        if (count > 0) await nodes.returnAllowance({ ...allowance, wanted: count }).catch(() => {});
      },
      // A second's worth.
      aheadMax: Math.floor(perMinute / 60),
    });
    const opened: Shared = { perMinute, reserve, last: null, lastMs: 0 };
    if (shared.size >= REMEMBERED_MAX) shared.clear();
    shared.set(key, opened);
    return opened;
  };
  return {
    async draw(ownerId, allowanceClass, perMinute) {
      const allowance = find(ownerId, allowanceClass, perMinute);
      const { isTaken, draw } = await allowance.reserve.take();
      if (draw !== null) Object.assign(allowance, { last: draw, lastMs: clock.monotonicMs() });
      const { resetMs = 0, retryAfterMs = 0 } = allowance.last ?? {};
      return {
        isGranted: isTaken,
        remaining: remainingOf(allowance, clock.monotonicMs()),
        resetMs,
        retryAfterMs: isTaken ? 0 : Math.max(1, retryAfterMs),
      };
    },
    look(ownerId, allowanceClass, perMinute) {
      const allowance = find(ownerId, allowanceClass, perMinute);
      const nowMs = clock.monotonicMs();
      const { last, lastMs } = allowance;
      return {
        remaining: remainingOf(allowance, nowMs),
        resetMs: last === null ? 0 : Math.max(0, last.resetMs - (nowMs - lastMs)),
      };
    },
    // Not ahead: a turn needs a number of them that only it knows.
    async drawTokens(ownerId, perMinute, tokens) {
      const draw = await nodes.drawAllowance({ ownerId, allowanceClass: "tokens", perMinute, wanted: tokens });
      return { isGranted: draw.granted > 0, retryAfterMs: draw.retryAfterMs };
    },
    returnTokens: (ownerId, perMinute, tokens) =>
      nodes.returnAllowance({ ownerId, allowanceClass: "tokens", perMinute, wanted: tokens }),
  };
}

/** What was left at the last draw, refilled since. */
function remainingOf({ last, lastMs, reserve, perMinute }: Shared, nowMs: number): number {
  if (last === null) return perMinute;
  const refilled = Math.floor(((nowMs - lastMs) * perMinute) / MINUTE_MS);
  return Math.min(perMinute, last.left + refilled + reserve.held());
}
