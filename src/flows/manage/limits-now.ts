// The limits in force and what is used of them, as far as the node that answers knows.
import { presentLimits } from "../access/limits-in-force.ts";
import type { OrganizationRequest } from "./authorized-request.ts";
import { presentAllowances } from "./key-operations.ts";

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
