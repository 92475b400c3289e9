// The rules that the operator and the organization itself have set, as the forms of each show them.
import type { Organization, Retention, Role } from "../../api/client.ts";
import { describeAllowed } from "./limits.ts";

type Rules = Pick<Organization, "policy" | "limits">;

const NONE: Rules = {
  policy: { allow_models: null, deny_models: [], tool_calls_per_turn: null },
  limits: {
    create_per_minute: null,
    retrieve_per_minute: null,
    delete_per_minute: null,
    tokens_per_minute: null,
    open_streams: null,
    concurrent_turns: null,
  },
};

/**
 * The rules that the signed-in person changes. Those that nobody has set since there are ceilings are shown to whoever
 * changes them; limits of then are the operator's.
 */
export function ownRules({ policy, limits, ceilings = {}, own = {} }: Organization, role: Role): Rules {
  const [mine, theirs] = role === "operator" ? [ceilings, own] : [own, ceilings];
  return {
    policy: mine.policy ?? (theirs.policy === undefined ? policy : NONE.policy),
    limits: mine.limits ?? (role === "operator" && theirs.limits === undefined ? limits : NONE.limits),
  };
}

/** The days that the signed-in person changes. */
export function ownDays({ days, operator_days: operatorDays }: Retention, role: Role): number | null {
  return role === "operator" && operatorDays !== undefined ? operatorDays : days;
}

/** The fields that differ: what a person leaves as it is may not be theirs to set. */
export function changedOf<Fields extends Readonly<Record<string, unknown>>>(
  before: Fields,
  after: Fields,
): Partial<Fields> {
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  );
  return Object.fromEntries(changed) as Partial<Fields>;
}

/** How many tool calls a response may make without a rule of the signed-in person: as many as the other side's rule says. */
export function describeToolCalls(other: Rules["policy"] | undefined, role: Role): string {
  const calls = other?.tool_calls_per_turn ?? null;
  if (calls === null) return "no limit";
  return `${role === "operator" ? "the organization's" : "the operator's"}, ${calls}`;
}

/** A policy in words; empty without rules. */
export function describePolicy({
  allow_models: allowed,
  deny_models: denied,
  tool_calls_per_turn: calls,
}: Rules["policy"]) {
  return [
    describeAllowed(allowed),
    denied.length === 0 ? [] : [`not ${denied.join(", ")}`],
    calls === null ? [] : [`at most ${calls} tool calls a response`],
  ]
    .flat()
    .join("; ");
}
