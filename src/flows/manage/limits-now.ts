// The limits in force and what is used of them, as far as the node that answers knows.
import { ALLOWANCE_CLASSES } from "../../contract/routes.ts";
import type { Organization } from "../../ports/store/accounts.ts";
import { perMinuteOf, presentLimits } from "../access/limits-in-force.ts";
import type { OrganizationRequest } from "./authorized-request.ts";
import type { ManageServices } from "./services.ts";

/** The limits of an organization, and what this node knows of their use. Draws nothing from the allowances. */
export async function showLimits({ services, organization }: OrganizationRequest) {
  const allowances = presentAllowances(services, organization);
  return {
    limits: presentLimits(services.limits, organization),
    this_node: {
      allowances: allowances.map(({ class: of, used, full_in_seconds }) => ({ class: of, used, full_in_seconds })),
      open_streams: services.gateway.openStreams.count(organization.id),
      turns: services.gateway.runs.slots.turnsOf(organization.id),
    },
  };
}

/** The standing of an organization's rate limits, as far as this node knows. */
export function presentAllowances({ gateway, limits }: ManageServices, organization: Organization) {
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
