// The allowances of all organizations, one for each class of operation. @spec limits
import type { AllowanceClass } from "../../contract/routes.ts";
import {
  type Allowance,
  type AllowanceStanding,
  type AllowanceVerdict,
  drawAllowance,
  peekAllowance,
} from "../../core/access/allowance.ts";
import type { Clock } from "../../ports/clock.ts";

/** What drawing a request brought, and what is left. */
type Draw = Omit<AllowanceVerdict, "allowance" | "granted">;

/** The allowances of this process, or this process's part in those that nodes share. */
export interface Allowances {
  /** Draws one request; the verdict tells whether it is granted. */
  draw(organizationId: string, allowanceClass: AllowanceClass, perMinute: number): Draw | Promise<Draw>;
  /** The rest of an allowance, as far as this process knows. */
  look(organizationId: string, allowanceClass: AllowanceClass, perMinute: number): AllowanceStanding;
}

/** Allowances start full and are kept in memory: a restart resets them. */
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
      peekAllowance(drawn[allowanceClass].get(organizationId), perMinute, clock.monotonicMs()),
  };
}
