// How accounts are printed. Times are Unix seconds, credits are numbers.
import { creditsAsNumber } from "../../core/accounts/credits.ts";
import type { ApiKey, Member, Organization } from "../../ports/accounts.ts";

/** An organization; `suspended` only when it is. */
export function showOrganization(organization: Organization) {
  const { id, name, plan, paymentMethod, suspended, creditsNano, policy, limits } = organization;
  return {
    id,
    name,
    plan,
    payment_method: paymentMethod,
    credits: creditsAsNumber(creditsNano),
    policy: {
      allow_models: policy.allowModels,
      deny_models: policy.denyModels,
      tool_calls_per_turn: policy.toolCallsPerTurn,
    },
    limits: {
      create_per_minute: limits.createPerMinute,
      retrieve_per_minute: limits.retrievePerMinute,
      delete_per_minute: limits.deletePerMinute,
      open_streams: limits.openStreams,
    },
    ...(suspended ? { suspended } : {}),
  };
}

export function showMember({ id, email, role }: Member) {
  return { id, email, role };
}

/** A key without its secret. */
export function showKey(key: ApiKey) {
  return {
    id: key.id,
    name: key.name,
    member: key.memberId,
    permissions: key.permission,
    created: key.createdAt,
    revoked_at: key.revokedAt,
  };
}
