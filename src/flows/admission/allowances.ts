// The allowances of all organizations on this node, one for each class of operation. @spec limits
import type { AllowanceClass } from "../../contract/routes.ts";
import { type Allowance, type AllowanceVerdict, drawAllowance } from "../../core/accounts/allowance.ts";
import type { Clock } from "../../ports/clock.ts";

export interface Allowances {
  /** Draws one request; the verdict says whether it is granted. */
  draw(organizationId: string, allowanceClass: AllowanceClass, perMinute: number): AllowanceVerdict;
}

/** Allowances start whole and are kept in memory: a restart forgives what was drawn. */
export function createAllowances(clock: Clock): Allowances {
  const drawn = new Map<string, Allowance>();
  return {
    draw(organizationId, allowanceClass, perMinute) {
      const name = `${allowanceClass}:${organizationId}`;
      const verdict = drawAllowance(drawn.get(name), perMinute, clock.monotonicMs());
      drawn.set(name, verdict.allowance);
      return verdict;
    },
  };
}
