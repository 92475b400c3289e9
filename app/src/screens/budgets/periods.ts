// The periods of budgets in words, and how much of a budget is used.
import type { Budget } from "../../api/client.ts";

type Period = Pick<Budget, "scope" | "period">;

export const PERIODS = { day: "a day", month: "a month", total: "in total" } as const;

/** Whether a budget of the scope has a period to choose. */
export const hasPeriod = (scope: Budget["scope"]): boolean => scope !== "organization-day" && scope !== "response";

/** The period of a budget. */
export const periodOf = ({ scope, period }: Period): string => (scope === "response" ? "each" : PERIODS[period]);

/** What a budget may spend now: its limit with the raise that is in force. */
export const limitNow = ({ limit, raise }: Pick<Budget, "limit" | "raise">): number => limit + (raise?.amount ?? 0);

/** The used share of a budget, with what running responses hold; all of one whose limit is 0. */
export function shareOf(budget: Pick<Budget, "limit" | "raise" | "spent" | "held">): number {
  const limit = limitNow(budget);
  return limit <= 0 ? 1 : (budget.spent + budget.held) / limit;
}
