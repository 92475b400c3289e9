// The words of spending: what a budget limits, over which time, what usage is counted by; and the largest amount. docs/product.md

/**
 * What a budget limits: the organization over a period, its UTC day (with a failure code of its own), a member's keys together, a
 * key, or every single response.
 */
export const BUDGET_SCOPES = ["organization", "organization-day", "member", "key", "response"] as const;
export type BudgetScope = (typeof BUDGET_SCOPES)[number];

/** UTC day, calendar month in UTC, or from the first turn on. */
export const BUDGET_PERIODS = ["day", "month", "total"] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

export const USAGE_GROUPINGS = ["key", "member", "model", "day"] as const;
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number];

/** Most credits of one amount, a top-up or a limit: eight such amounts still fit into a database's 64 bits, as nano-credits. */
export const CREDITS_MAX = 1_000_000_000;
