// Whose the rules of an organization are. docs/decisions/ceilings.md
import { NO_POLICY, type Organization, type OrganizationRules, type RuleSetter } from "./accounts.ts";
import { NO_LIMITS } from "./limits.ts";

/** The parts of an organization that rules change. */
export type RuledParts = Pick<Organization, "policy" | "limits" | "retentionDays" | "rules">;

/**
 * The rules that a setter has set. Of those from before there were ceilings, the limits are the operator's; policy and
 * retention are of whoever sets them next, and until then of both.
 */
export function rulesOf({ policy, limits, retentionDays, rules }: RuledParts, setter: RuleSetter): OrganizationRules {
  const own = rules[setter];
  const other = rules[setter === "operator" ? "organization" : "operator"];
  return {
    policy: own.policy ?? (other.policy === undefined ? policy : NO_POLICY),
    limits: {
      ...NO_LIMITS,
      ...(own.limits ?? (setter === "operator" && other.limits === undefined ? limits : NO_LIMITS)),
    },
    retentionDays: own.retentionDays ?? (other.retentionDays === undefined ? retentionDays : null),
  };
}
