// What usage may be grouped by: a time, and one or two other things. docs/management.md (Usage)
import { USAGE_GROUPINGS, USAGE_SUBJECTS_MAX, USAGE_TIMES, type UsageGrouping } from "../../contract/money.ts";

/** Whose usage it is. */
export type UsageScope = "organization" | "platform";

export type UsageTime = (typeof USAGE_TIMES)[number];
export type UsageSubject = Exclude<UsageGrouping, UsageTime>;

/** The groupings of a scope: one organization's usage is not grouped by organization. */
export function usageGroupingsOf(scope: UsageScope): readonly UsageGrouping[] {
  return USAGE_GROUPINGS.filter((grouping) => scope === "platform" || grouping !== "organization");
}

export function isUsageTime(grouping: UsageGrouping): grouping is UsageTime {
  return USAGE_TIMES.some((time) => time === grouping);
}

/** The time of groupings; null: there is none. */
export function usageTimeOf(by: readonly UsageGrouping[]): UsageTime | null {
  return by.find(isUsageTime) ?? null;
}

/** Reads groupings separated by a comma, such as `model,day`; null when one is unknown or they do not go together. */
export function readUsageGroupings(text: string, scope: UsageScope): readonly UsageGrouping[] | null {
  const known = usageGroupingsOf(scope);
  const by = text.split(",").map((word) => known.find((grouping) => grouping === word));
  const found = by.filter((grouping) => grouping !== undefined);
  const isRepeated = new Set(found).size < found.length;
  const times = found.filter(isUsageTime).length;
  const isTooMany = times > 1 || found.length - times > USAGE_SUBJECTS_MAX;
  return found.length < by.length || isRepeated || isTooMany ? null : found;
}

/** The groupings that are allowed, for messages. */
export function describeUsageGroupings(scope: UsageScope): string {
  const subjects = usageGroupingsOf(scope).filter((grouping) => !isUsageTime(grouping));
  return `up to ${USAGE_SUBJECTS_MAX} of ${subjects.join(", ")} and one of ${USAGE_TIMES.join(", ")}, separated by commas`;
}
