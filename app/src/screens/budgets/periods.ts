// The periods of budgets, in words.
import type { Budget } from "../../api/client.ts";

type Period = Pick<Budget, "scope" | "period">;

export const PERIODS = { day: "a day", month: "a month", total: "in total" } as const;

/** Whether a budget of the scope has a period to choose. */
export const hasPeriod = (scope: Budget["scope"]): boolean => scope !== "organization-day" && scope !== "response";

/** The period of a budget. */
export const periodOf = ({ scope, period }: Period): string => (scope === "response" ? "each" : PERIODS[period]);
