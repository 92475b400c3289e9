// What usage may be grouped by: one thing, a thing and a time, or two things. docs/management.md (Usage)
import { USAGE_GROUPINGS, USAGE_GROUPINGS_MAX, type UsageGrouping } from "../../contract/money.ts";

/** Whose usage it is. */
export type UsageScope = "organization" | "platform";

const TIMES: readonly UsageGrouping[] = ["day", "hour"];

/** The groupings of a scope: one organization's usage is not grouped by organization. */
export function usageGroupingsOf(scope: UsageScope): readonly UsageGrouping[] {
  return USAGE_GROUPINGS.filter((grouping) => scope === "platform" || grouping !== "organization");
}

/** Reads groupings separated by a comma, such as `model,day`; null when one is unknown or they do not go together. */
export function readUsageGroupings(text: string, scope: UsageScope): readonly UsageGrouping[] | null {
  const known = usageGroupingsOf(scope);
  const by = text.split(",").map((word) => known.find((grouping) => grouping === word));
  const found = by.filter((grouping) => grouping !== undefined);
  const isRepeated = new Set(found).size < found.length;
  // An hour lies in one day.
  const hasTwoTimes = found.filter((grouping) => TIMES.includes(grouping)).length > 1;
  return found.length < by.length || by.length > USAGE_GROUPINGS_MAX || isRepeated || hasTwoTimes ? null : found;
}

/** The groupings that are allowed, for messages. */
export function describeUsageGroupings(scope: UsageScope): string {
  return `one or two of ${usageGroupingsOf(scope).join(", ")}, separated by a comma, not day with hour`;
}
