// The limits in force, and their use on this node.
import Type from "typebox";
import { oneOf, orNull } from "../contract/shapes.ts";
import { ALLOWANCE_CLASSES } from "../contract/routes.ts";
import { openStreamsMax, perMinuteOf, responsesMax, type SharedLimits } from "../flows/access/limits-in-force.ts";
import type { ManageServices } from "../flows/manage/services.ts";
import type { Organization } from "../ports/store/accounts.ts";

/** The limits in force: the organization's own, or the service's. */
export const limitsInForce = {
  create_per_minute: Type.Integer(),
  retrieve_per_minute: Type.Integer(),
  delete_per_minute: Type.Integer(),
  tokens_per_minute: orNull(Type.Integer({ description: "of input and output; null: no limit" })),
  open_streams: Type.Integer(),
  concurrent_turns: Type.Integer({ description: "turns at once, running and queued ones, on each node" }),
};

/** The limits in force for an organization. */
export function presentLimits(service: SharedLimits, organization: Organization) {
  return {
    create_per_minute: perMinuteOf(service, organization, "create"),
    retrieve_per_minute: perMinuteOf(service, organization, "retrieve"),
    delete_per_minute: perMinuteOf(service, organization, "delete"),
    tokens_per_minute: organization.limits.tokensPerMinute,
    open_streams: openStreamsMax(service, organization),
    concurrent_turns: responsesMax(service, organization),
  };
}

/** A rate limit and its use. */
export const AllowanceNow = Type.Object({
  class: oneOf(ALLOWANCE_CLASSES),
  per_minute: Type.Integer(),
  used: Type.Integer({ description: "per_minute - remaining" }),
  remaining: Type.Integer(),
  full_in_seconds: Type.Number(),
});

/** The standing of each rate limit. Draws nothing from the allowances. */
export function presentAllowances(
  { capacity, limits }: Pick<ManageServices, "capacity" | "limits">,
  organization: Organization,
) {
  return ALLOWANCE_CLASSES.map((allowanceClass) => {
    const perMinute = perMinuteOf(limits, organization, allowanceClass);
    const { remaining, resetMs } = capacity.allowances.look(organization.id, allowanceClass, perMinute);
    return {
      class: allowanceClass,
      per_minute: perMinute,
      used: Math.max(0, perMinute - remaining),
      remaining,
      full_in_seconds: resetMs / 1000,
    };
  });
}
