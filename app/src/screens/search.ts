// The filters of a screen that are in its URL, so that a link shows the same.
import { utcDay } from "../parts/format.ts";
import { isOwnPath } from "../session/own-path.ts";

export const USAGE_GROUPS = ["day", "hour", "model", "key", "member"] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

export interface UsageSearch {
  readonly by: UsageGroup;
  /** UTC days, both included. */
  readonly from: string;
  readonly to: string;
}

/** The filters of the usage screen; by default the last 30 days, by day. */
export function readUsageSearch(search: Record<string, unknown>): UsageSearch {
  const by = USAGE_GROUPS.find((group) => group === search["by"]) ?? "day";
  const from = readDay(search["from"]) ?? utcDay(29);
  const to = readDay(search["to"]) ?? utcDay();
  return { by, from: from <= to ? from : to, to };
}

/** The filter of the audit log: a part of the action's name. */
export function readAuditSearch(search: Record<string, unknown>): { action?: string } {
  const { action } = search;
  return typeof action === "string" && action !== "" ? { action } : {};
}

/** The sign-in page: the screen that comes next, and for whom a link is. */
export function readSignInSearch(search: Record<string, unknown>): { next?: string; as?: "operator" } {
  const { next, as } = search;
  return { ...(isOwnPath(next) ? { next } : {}), ...(as === "operator" ? { as } : {}) };
}

export function readDay(value: unknown): string | null {
  return typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : null;
}
