// Policy and limits of an organization, from their documented names to the store's.
import type { LimitValues, PolicyValues } from "../../core/accounts-file/account-change.ts";
import type { OrganizationLimits, OrganizationPolicy } from "../../ports/store/accounts.ts";

/** The rules that are given; models by their full ids. */
export function policyOf(given: Partial<PolicyValues>): Partial<OrganizationPolicy> {
  const { allow_models: allowModels, deny_models: denyModels, tool_calls_per_turn: toolCallsPerTurn } = given;
  return {
    ...(allowModels === undefined ? {} : { allowModels }),
    ...(denyModels === undefined ? {} : { denyModels }),
    ...(toolCallsPerTurn === undefined ? {} : { toolCallsPerTurn }),
  };
}

/** The limits that are given. */
export function limitsOf(given: Partial<LimitValues>): Partial<OrganizationLimits> {
  const { create_per_minute, retrieve_per_minute, delete_per_minute, open_streams } = given;
  return {
    ...(create_per_minute === undefined ? {} : { createPerMinute: create_per_minute }),
    ...(retrieve_per_minute === undefined ? {} : { retrievePerMinute: retrieve_per_minute }),
    ...(delete_per_minute === undefined ? {} : { deletePerMinute: delete_per_minute }),
    ...(open_streams === undefined ? {} : { openStreams: open_streams }),
  };
}
