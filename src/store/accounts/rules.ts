// What the operator and the organization itself have set: the tighter is in force. docs/decisions/ceilings.md
import { commonRules } from "../../core/access/model-rules.ts";
import { NO_POLICY, type OrganizationPolicy, type RuleSetter } from "../../ports/store/accounts.ts";
import { NO_LIMITS, type OrganizationLimits } from "../../ports/store/limits.ts";
import { type RuledParts, rulesOf } from "../../ports/store/rules-of.ts";

/** What a change of rules gives; what is not given stays. */
export interface GivenRules {
  readonly policy?: Partial<OrganizationPolicy>;
  readonly limits?: Partial<OrganizationLimits>;
  readonly retentionDays?: number | null;
}

/** The rules after a change by `setter`. */
export function changeRules(before: RuledParts, setter: RuleSetter, change: GivenRules): RuledParts {
  let { policy, limits, retentionDays, rules } = before;
  const own = rulesOf(before, setter);
  if (change.policy !== undefined) {
    rules = { ...rules, [setter]: { ...rules[setter], policy: { ...own.policy, ...change.policy } } };
    policy = tighterPolicy(rules.operator.policy ?? NO_POLICY, rules.organization.policy ?? NO_POLICY);
  }
  if (change.limits !== undefined) {
    rules = { ...rules, operator: { ...rules.operator, limits: rulesOf(before, "operator").limits } };
    rules = { ...rules, [setter]: { ...rules[setter], limits: { ...own.limits, ...change.limits } } };
    limits = tighterLimits({ ...NO_LIMITS, ...rules.operator.limits }, { ...NO_LIMITS, ...rules.organization.limits });
  }
  if (change.retentionDays !== undefined) {
    rules = { ...rules, [setter]: { ...rules[setter], retentionDays: change.retentionDays } };
    retentionDays = lower(rules.operator.retentionDays ?? null, rules.organization.retentionDays ?? null);
  }
  return { policy, limits, retentionDays, rules };
}

function tighterPolicy(a: OrganizationPolicy, b: OrganizationPolicy): OrganizationPolicy {
  const { allowModels: ours } = a;
  const { allowModels: theirs } = b;
  return {
    allowModels: ours === null ? theirs : theirs === null ? ours : commonRules(ours, theirs),
    denyModels: [...new Set([...a.denyModels, ...b.denyModels])],
    toolCallsPerTurn: lower(a.toolCallsPerTurn, b.toolCallsPerTurn),
  };
}

function tighterLimits(a: OrganizationLimits, b: OrganizationLimits): OrganizationLimits {
  return {
    createPerMinute: lower(a.createPerMinute, b.createPerMinute),
    retrievePerMinute: lower(a.retrievePerMinute, b.retrievePerMinute),
    deletePerMinute: lower(a.deletePerMinute, b.deletePerMinute),
    tokensPerMinute: lower(a.tokensPerMinute, b.tokensPerMinute),
    openStreams: lower(a.openStreams, b.openStreams),
    concurrentResponses: lower(a.concurrentResponses, b.concurrentResponses),
  };
}

function lower(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.min(a, b);
}
