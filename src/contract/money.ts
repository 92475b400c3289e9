// Budget scopes and periods, usage groupings, and the largest amount. docs/command-line.md

/**
 * The scope of a budget: the organization over a period, the organization's UTC day (with a failure code of its own),
 * all keys of a member, one key, or each single response.
 */
export const BUDGET_SCOPES = ["organization", "organization-day", "member", "key", "response"] as const;
export type BudgetScope = (typeof BUDGET_SCOPES)[number];

/** UTC day, calendar month in UTC, or all time. */
export const BUDGET_PERIODS = ["day", "month", "total"] as const;
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/** What usage is grouped by; `organization` only over the whole platform. Days and months are those of a time zone. */
export const USAGE_GROUPINGS = ["organization", "key", "member", "model", "day", "hour", "month"] as const;
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number];
/** The groupings by time: usage is grouped by at most one of them. */
export const USAGE_TIMES = ["day", "hour", "month"] as const satisfies readonly UsageGrouping[];
/** How many of the other groupings can be combined. */
export const USAGE_SUBJECTS_MAX = 2;
/** The most days of usage in a time zone other than UTC, or by month: ten years. */
export const USAGE_DAYS_MAX = 3_660;

/** As a filter by member: keys without an owner. By end user, label or conversation: responses without one. */
export const NONE = "none";

/** Largest amount of credits: eight of them, in nano-credits, still fit into 64 bits. */
export const CREDITS_MAX = 1_000_000_000;

/** What moves credits (docs/decisions/money.md). */
export const TRANSFER_KINDS = ["topup", "hold", "extend", "shortfall", "settle", "release", "void"] as const;
export type TransferKind = (typeof TRANSFER_KINDS)[number];

/** The accounts of an organization in the ledger. */
export const LEDGER_ACCOUNTS = ["credits", "held", "charged", "topups", "shortfall"] as const;
export type LedgerAccount = (typeof LEDGER_ACCOUNTS)[number];
