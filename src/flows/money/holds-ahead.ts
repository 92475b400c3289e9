// The credits that running responses hold before they need them. When a response lacks credits, the others give theirs
// back, so extending a hold early never takes credits from a response that needs them now. The rule and its proof:
// docs/decisions/money.md (Ahead of need).
import type { Shortage } from "../../ports/store/funds.ts";
import type { ReportShortage } from "./shortage-reports.ts";
import type { Caller } from "../../ports/store/histories.ts";

/** A running response that may hold more than it needs at this moment. */
export interface HoldAhead {
  readonly caller: Caller;
  /**
   * Gives back the part of the hold that it does not need now. Resolves when others can hold it; to false when there
   * was nothing to give back. Never rejects.
   */
  giveBack(): Promise<boolean>;
}

/** The running responses of this process that hold ahead of need. */
export interface HoldsAhead {
  /** Registers a response that extends its hold ahead of need; harmless when repeated. */
  add(hold: HoldAhead): void;
  remove(hold: HoldAhead): void;
  /**
   * Reclaims everything that other responses hold ahead of need on the balance or budget that the caller was short of.
   * False when there was nothing: the caller's turn is rejected or stopped, which is reported.
   */
  reclaim(caller: Caller, shortage: Shortage): Promise<boolean>;
}

/** Creates the holds ahead of a process, none yet. */
export function createHoldsAhead(report: ReportShortage): HoldsAhead {
  const byOrganization = new Map<string, Set<HoldAhead>>();
  /** Reclaims in progress: a response that is short meanwhile waits for them. */
  const givingBack = new Map<string, Promise<boolean>>();

  function remove(hold: HoldAhead): void {
    const { organizationId } = hold.caller;
    const holds = byOrganization.get(organizationId);
    holds?.delete(hold);
    if (holds?.size === 0) byOrganization.delete(organizationId);
  }

  return {
    add(hold) {
      const { organizationId } = hold.caller;
      const holds = byOrganization.get(organizationId) ?? new Set();
      byOrganization.set(organizationId, holds.add(hold));
    },
    remove,
    async reclaim({ organizationId, keyId }, shortage) {
      // Only a key's own turns hold its budget. Which keys are a member's is not known here.
      const isOfKey = shortage.kind === "budget" && shortage.scope === "key";
      const holds = [...(byOrganization.get(organizationId) ?? [])].filter(
        ({ caller }) => !isOfKey || caller.keyId === keyId,
      );
      const earlier = givingBack.get(organizationId);
      if (holds.length === 0 && earlier === undefined) {
        report(organizationId, shortage);
        return false;
      }
      // Each gives back once: it registers again when it next extends its hold ahead of need.
      for (const hold of holds) remove(hold);
      const all = Promise.all([earlier, ...holds.map((hold) => hold.giveBack())]);
      const giving = all.then((given) => given.includes(true));
      givingBack.set(organizationId, giving);
      const wasGiven = await giving;
      if (givingBack.get(organizationId) === giving) givingBack.delete(organizationId);
      if (!wasGiven) report(organizationId, shortage);
      return wasGiven;
    },
  };
}
