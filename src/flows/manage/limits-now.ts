// The limits in force and what is used of them, as far as the node that answers knows.
import { openStreamsMax, perMinuteOf } from "../access/admit.ts";
import type { OrganizationRequest } from "./authorized-request.ts";
import { presentAllowances } from "./key-operations.ts";

/** Draws nothing from the allowances. */
export async function showLimits({ services: { gateway }, organization }: OrganizationRequest) {
  const allowances = presentAllowances(gateway, organization);
  return {
    limits: {
      create_per_minute: perMinuteOf(gateway, organization, "create"),
      retrieve_per_minute: perMinuteOf(gateway, organization, "retrieve"),
      delete_per_minute: perMinuteOf(gateway, organization, "delete"),
      open_streams: openStreamsMax(gateway, organization),
    },
    this_node: {
      allowances: allowances.map(({ class: of, used, full_in_seconds }) => ({ class: of, used, full_in_seconds })),
      open_streams: gateway.openStreams.count(organization.id),
    },
  };
}
