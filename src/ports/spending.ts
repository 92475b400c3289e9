// What the command line and the management interface ask of the store about money: budgets, usage, and whether the books agree.
// What a turn itself does to them (hold, extend, settle, void) is TurnStore's. Amounts are nano-credits; days are UTC days counted
// from 1970-01-01 (core/accounts/billing-day.ts).
import type { UsageGrouping } from "../contract/spending.ts";
import type { BudgetName } from "../core/accounts/budgets.ts";
import type { Actor } from "./audit.ts";

export interface Budget extends BudgetName {
  readonly limitNano: bigint;
  /** Charged in the current period; always 0 in the scope `response`, which is counted for each response by itself. */
  readonly spentNano: bigint;
  /** Set aside for running responses that count to the current period; always 0 in the scope `response`. */
  readonly heldNano: bigint;
}

/** What ended responses used, and what was charged for it. */
export interface UsageSums {
  readonly responses: number;
  readonly inputTokens: number;
  /** Of the input: read from a provider's cache, and written to it. */
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** Of the output. */
  readonly reasoningTokens: number;
  readonly chargedNano: bigint;
}

export interface UsageRow extends UsageSums {
  /** Id of the key or member, id of the model, `YYYY-MM-DD`; null: keys that were nobody's, or everything when nothing is grouped. */
  readonly id: string | null;
  /** The key's name, the member's e-mail address; null: there is none (any more). */
  readonly name: string | null;
}

/** What reconciling compares. Amounts of money are nano-credits, all others are counts. */
export type Compared =
  /** The balance of an account of the organization, with the transfers from and to it. */
  | "balance.credits"
  | "balance.held"
  | "balance.charged"
  | "balance.topups"
  | "balance.shortfall"
  /** What is held, with the sum of what its running responses hold. */
  | "held"
  /** What is charged, with the sum over its ended responses. */
  | "charged"
  /** What a response holds, with its transfers: nothing once it has ended, or is gone. */
  | "response.held"
  /** What a response was charged, with its settlement in the ledger. */
  | "response.charged"
  /** What a response was charged, with its price snapshot and usage. */
  | "response.price"
  /** How often a response was held for, and settled or voided: once. */
  | "response.holds"
  | "response.settlements"
  /** A transfer between accounts that its kind does not go between. */
  | "transfer.accounts"
  /** A row of usage, with the sum over the responses of that day, key, member and model. */
  | "usage.responses"
  | "usage.input_tokens"
  | "usage.cached_tokens"
  | "usage.cache_write_tokens"
  | "usage.output_tokens"
  | "usage.reasoning_tokens"
  | "usage.charged"
  /** A budget's period, with the responses that count to it. */
  | "budget.spent"
  | "budget.held";

/** Two figures that should be equal and are not. */
export interface Difference {
  readonly organizationId: string;
  readonly compared: Compared;
  /** Whose figure: a response, a transfer, `<day> <key> <member> <model>`, `<scope> <id> <period> <first day>`; null: the organization's. */
  readonly of: string | null;
  /** What stands there. */
  readonly recorded: bigint;
  /** What follows from the transfers, or the responses. */
  readonly expected: bigint;
}

export interface Reconciliation {
  /** How much was looked at. */
  readonly organizations: number;
  readonly transfers: number;
  readonly responses: number;
  readonly budgetPeriods: number;
  /** How many differences there are, and the first thousand of them. */
  readonly differencesFound: number;
  readonly differences: readonly Difference[];
}

export interface SpendingStore {
  /**
   * Sets a budget's limit, 0 or more. A new budget counts what its current period has spent and holds already; one that is there keeps
   * its counters. A member is named by id or e-mail address, a key by its id. Throws an AccountError when the organization is unknown
   * or has no such member or key, and for a revoked key.
   */
  setBudget(set: { organizationId: string; name: BudgetName; limitNano: bigint; by: Actor }): Promise<Budget>;
  /** Takes a budget away and answers it as it was. Throws an AccountError when there is none of that name. */
  clearBudget(clear: { organizationId: string; name: BudgetName; by: Actor }): Promise<Budget>;
  /** All budgets of an organization, each in its current period: by scope, then in the order they were set. */
  listBudgets(query: { organizationId: string }): Promise<readonly Budget[]>;

  /**
   * What the organization's ended responses used and were charged for, from one UTC day to another (inclusive, each open when null): by
   * day in their order, else what costs most first; one row when `by` is null. `memberId`: only what that member's keys did.
   */
  readUsage(query: {
    organizationId: string;
    by: UsageGrouping | null;
    fromDay: number | null;
    toDay: number | null;
    memberId?: string;
  }): Promise<readonly UsageRow[]>;

  /**
   * Works out from the ledger's transfers and the responses what every balance, budget and row of usage must be, of one organization
   * or (null) of all, at one moment, and tells where something else is recorded. Beside a server at work.
   */
  reconcile(query: { organizationId: string | null }): Promise<Reconciliation>;
}
