// What this node knows of the use of an organization's rate limits.
import { ALLOWANCE_CLASSES } from "../../contract/routes.ts";
import type { Organization } from "../../ports/store/accounts.ts";
import { perMinuteOf } from "../access/limits-in-force.ts";
import type { ManageServices } from "./services.ts";

/** The standing of each rate limit. Draws nothing from the allowances. */
export function presentAllowances(
  { gateway, limits }: Pick<ManageServices, "gateway" | "limits">,
  organization: Organization,
) {
  return ALLOWANCE_CLASSES.map((allowanceClass) => {
    const perMinute = perMinuteOf(limits, organization, allowanceClass);
    const { remaining, resetMs } = gateway.allowances.look(organization.id, allowanceClass, perMinute);
    return {
      class: allowanceClass,
      per_minute: perMinute,
      used: Math.max(0, perMinute - remaining),
      remaining,
      full_in_seconds: resetMs / 1000,
    };
  });
}
