// Policy and limits of an organization, from their documented names to the store's.
import { definedOf } from "../../base/defined.ts";
import type { LimitValues, PolicyValues } from "../../core/accounts-file/account-change.ts";
import type { OrganizationLimits, OrganizationPolicy } from "../../ports/store/accounts.ts";

/** The rules that are given; models by their full ids. */
export function policyOf(given: Partial<PolicyValues>): Partial<OrganizationPolicy> {
  const { allow_models: allowModels, deny_models: denyModels, tool_calls_per_turn: toolCallsPerTurn } = given;
  return definedOf({ allowModels, denyModels, toolCallsPerTurn });
}

/** The limits that are given. */
export function limitsOf(given: Partial<LimitValues>): Partial<OrganizationLimits> {
  return definedOf({
    createPerMinute: given.create_per_minute,
    retrievePerMinute: given.retrieve_per_minute,
    deletePerMinute: given.delete_per_minute,
    openStreams: given.open_streams,
    concurrentTurns: given.concurrent_turns,
  });
}
