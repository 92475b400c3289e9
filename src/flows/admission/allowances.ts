// The allowances of all organizations on this node, one for each class of operation. @spec limits
import type { AllowanceClass } from "../../contract/routes.ts";
import {
  type Allowance,
  type AllowanceStanding,
  type AllowanceVerdict,
  drawAllowance,
  lookAtAllowance,
} from "../../core/accounts/allowance.ts";
import type { Clock } from "../../ports/clock.ts";

export interface Allowances {
  /** Draws one request; the verdict says whether it is granted. */
  draw(organizationId: string, allowanceClass: AllowanceClass, perMinute: number): AllowanceVerdict;
  /** What it stands at. */
  look(organizationId: string, allowanceClass: AllowanceClass, perMinute: number): AllowanceStanding;
}

/** Allowances start whole and are kept in memory: a restart forgives what was drawn. */
export function createAllowances(clock: Clock): Allowances {
  const drawn: Record<AllowanceClass, Map<string, Allowance>> = {
    create: new Map(),
    retrieve: new Map(),
    delete: new Map(),
  };
  return {
    draw(organizationId, allowanceClass, perMinute) {
      const ofClass = drawn[allowanceClass];
      const verdict = drawAllowance(ofClass.get(organizationId), perMinute, clock.monotonicMs());
      ofClass.set(organizationId, verdict.allowance);
      return verdict;
    },
    look: (organizationId, allowanceClass, perMinute) =>
      lookAtAllowance(drawn[allowanceClass].get(organizationId), perMinute, clock.monotonicMs()),
  };
}
