// What the operator has set for an organization is a ceiling: its owners and admins may set something tighter, and get a
// 403 for anything else. docs/decisions/ceilings.md
import { someRuleCovers } from "../core/access/model-rules.ts";
import type { AdminContext } from "../flows/accounts/admin-context.ts";
import { ceilingError, type OrganizationPolicy, type RuleSetter } from "../ports/store/accounts.ts";
import type { OrganizationLimits } from "../ports/store/limits.ts";
import type { OrganizationContext } from "./definition/context.ts";

/** For whom the caller sets rules. */
export function setterOf({ role }: Pick<AdminContext, "role">): RuleSetter {
  return role === "operator" ? "operator" : "organization";
}

/**
 * A number that an owner or admin wants: `null` removes their own. Throws a CeilingError if it is above the
 * operator's, and for the removal of what only the operator has set.
 */
function assertLower(
  name: string,
  wanted: number | null,
  { own, ceiling }: { own: number | null; ceiling: number | null },
) {
  if (ceiling === null || (wanted === null ? own !== null : wanted <= ceiling)) return;
  throw ceilingError(`${name} to ${ceiling}`);
}

/** Throws a CeilingError if an owner or admin asks for more than the operator's policy allows, or to remove it. */
export function assertPolicyWithin(context: OrganizationContext, wanted: Partial<OrganizationPolicy>): void {
  const { organization, role } = context;
  if (role === "operator") return;
  const { operator, organization: own } = organization.rules;
  const { allowModels, denyModels, toolCallsPerTurn } = wanted;
  const allowed = operator.policy?.allowModels ?? null;
  const beyond = allowed === null ? undefined : allowModels?.find((id) => !someRuleCovers(allowed, id));
  if (beyond !== undefined) throw ceilingError(`allow_models, without ${beyond}`);
  if (allowed !== null && allowModels === null && (own.policy?.allowModels ?? null) === null)
    throw ceilingError("allow_models");
  const isRemoval = denyModels?.length === 0 && (own.policy?.denyModels ?? []).length === 0;
  if (isRemoval && (operator.policy?.denyModels ?? []).length > 0) throw ceilingError("deny_models");
  if (toolCallsPerTurn === undefined) return;
  const ceiling = operator.policy?.toolCallsPerTurn ?? null;
  assertLower("tool_calls_per_turn", toolCallsPerTurn, { own: own.policy?.toolCallsPerTurn ?? null, ceiling });
}

/**
 * Throws a CeilingError if an owner or admin asks for a higher limit than the operator's, or the service's where
 * the operator has set none. `wanted` and `service` by the names of the input.
 */
export function assertLimitsWithin(
  context: OrganizationContext,
  fields: Readonly<Record<string, keyof OrganizationLimits>>,
  wanted: Readonly<Record<string, number | null | undefined>>,
  service: Readonly<Record<string, number | null>>,
): void {
  const { organization, role } = context;
  if (role === "operator") return;
  const { operator, organization: own } = organization.rules;
  for (const [name, field] of Object.entries(fields)) {
    const value = wanted[name];
    if (value === undefined) continue;
    const ceiling = operator.limits?.[field] ?? null;
    assertLower(name, value, { own: own.limits?.[field] ?? null, ceiling });
    const most = service[name] ?? null;
    if (ceiling === null && value !== null && most !== null && value > most) throw ceilingError(`${name} to ${most}`);
  }
}

/** Throws a CeilingError if an owner asks to keep histories longer than the operator lets the organization. */
export function assertRetentionWithin({ organization, role }: OrganizationContext, days: number | null): void {
  if (role === "operator") return;
  const { operator, organization: own } = organization.rules;
  assertLower("days", days, { own: own.retentionDays ?? null, ceiling: operator.retentionDays ?? null });
}
