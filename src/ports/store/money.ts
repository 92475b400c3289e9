// Budgets, usage and reconciling, for the command line and the management interface. What a response does to money
// (hold, extend, settle, void) is part of ResponseStore. Amounts are nano-credits; days are UTC days counted from
// 1970-01-01 (core/money/billing-day.ts).
import type { LedgerAccount, TransferKind, BudgetPeriod, BudgetScope, UsageGrouping } from "../../contract/money.ts";
import type { BudgetName } from "../../core/money/budgets.ts";
import type { Hours } from "../../core/money/usage-spans.ts";
import type { RuleSetter } from "./accounts.ts";
import type { Actor } from "./audit.ts";
import type { Caller } from "./histories.ts";

/** What a budget may spend in addition to its limit, until then by the store's clock. */
export interface BudgetRaise {
  readonly amountNano: bigint;
  readonly untilMs: number;
  /** Present and true: the operator has set it, and it may go beyond the ceiling. */
  readonly isOperators?: true;
}

export interface Budget extends BudgetName {
  /** In force, without a raise. */
  readonly limitNano: bigint;
  /** The operator's limit, and the organization's own (null: none); absent unless the operator has set one. */
  readonly ceiling?: { readonly limitNano: bigint; readonly ownNano: bigint | null };
  /** Absent unless one is in force. */
  readonly raise?: BudgetRaise;
  /** Charged in the current period; always 0 in the scope `response`, where each response counts by itself. */
  readonly spentNano: bigint;
  /** Reserved for running responses that count in the current period; always 0 in the scope `response`. */
  readonly heldNano: bigint;
}

/** Usage and charges of ended responses. */
export interface UsageSums {
  readonly responses: number;
  readonly inputTokens: number;
  /** Part of the input: read from a provider's cache, and written to it. */
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** Part of the output. */
  readonly reasoningTokens: number;
  readonly chargedNano: bigint;
}

/** The same, with what reading tokens from providers' caches saved, since that is counted. */
export interface UsageWithSavings extends UsageSums {
  readonly savedNano: bigint;
}

/** What a row of usage is about. */
export interface UsageGroup {
  /**
   * Id of the organization, key, member or model, `YYYY-MM-DD`, `YYYY-MM-DDTHH:00Z` or `YYYY-MM`; null: keys without an
   * owner.
   */
  readonly id: string | null;
  /** The organization's or the key's name, or the member's e-mail address; null: there is none (any more). */
  readonly name: string | null;
}

export interface UsageRow extends UsageWithSavings {
  /** In the order of `by`. */
  readonly groups: readonly UsageGroup[];
  /** The hours that it counts, as far as they are asked for; null: `by` has no time. */
  readonly hours: Hours | null;
}

/** What the holder of a key asks for: more than a budget's limit. It is open until it is answered or lapses. */
export interface BudgetIncrease {
  readonly id: string;
  readonly keyId: string;
  readonly keyName: string;
  readonly budget: BudgetName;
  readonly amountNano: bigint;
  readonly atMs: number;
  /** The end of the budget's period, when the request lapses; null: the budget has no periods. */
  readonly untilMs: number | null;
}

/** A budget that a key's responses count in, in its current period. */
export interface KeyBudget {
  readonly scope: BudgetScope;
  readonly period: BudgetPeriod;
  readonly limitNano: bigint;
  /** Neither spent nor held; never below 0. */
  readonly leftNano: bigint;
  /** Reserved for running responses. */
  readonly heldNano: bigint;
  /** The first day of the next period; null: the period is `total`. */
  readonly resetsOnDay: number | null;
  /** What the key's holder has asked for, and is not answered yet; absent: nothing. */
  readonly increase?: Pick<BudgetIncrease, "amountNano" | "atMs">;
}

/** What a key has used, and the budgets that limit it. */
export interface KeySpending {
  readonly today: UsageWithSavings;
  readonly month: UsageWithSavings;
  /** The narrowest first. */
  readonly budgets: readonly KeyBudget[];
}

/** The figures that reconciling compares. Money is in nano-credits, all others are counts. */
export type Compared =
  /** The balance of an organization's account against the transfers from and to it. */
  | "balance.credits"
  | "balance.held"
  | "balance.charged"
  | "balance.topups"
  | "balance.shortfall"
  /** The held balance against the holds of its running responses. */
  | "held"
  /** The charged balance against the charges of its ended responses. */
  | "charged"
  /** A response's hold against its transfers: zero once it has ended or was withdrawn. */
  | "response.held"
  /** A response's charge against its settlement in the ledger. */
  | "response.charged"
  /** A response's charge against its price snapshot and usage. */
  | "response.price"
  /** How often a response was held for, and settled or voided: once each. */
  | "response.holds"
  | "response.settlements"
  /** A transfer between accounts that its kind does not connect. */
  | "transfer.accounts"
  /** A row of usage against the sum over the responses of that day, key, member and model. */
  | "usage.responses"
  | "usage.input_tokens"
  | "usage.cached_tokens"
  | "usage.cache_write_tokens"
  | "usage.output_tokens"
  | "usage.reasoning_tokens"
  | "usage.charged"
  /** A budget's period against the responses that count in it. */
  | "budget.spent"
  | "budget.held";

/** Two figures that should be equal but differ. */
export interface Difference {
  readonly organizationId: string;
  readonly compared: Compared;
  /**
   * The object of the figures: a response, a transfer, `<day> <key> <member> <model>`, `<scope> <id> <period> <first
   * day>`; null: the organization.
   */
  readonly of: string | null;
  /** The stored figure. */
  readonly recorded: bigint;
  /** The figure computed from the transfers or the responses. */
  readonly expected: bigint;
}

export interface Reconciliation {
  /** How much was checked. */
  readonly organizations: number;
  readonly transfers: number;
  readonly responses: number;
  readonly budgetPeriods: number;
  /** The number of differences, and the first thousand of them. */
  readonly differencesFound: number;
  readonly differences: readonly Difference[];
}

/** A movement of credits between two accounts of an organization. */
export interface Transfer {
  /** Counts up over the whole ledger. */
  readonly id: number;
  readonly kind: TransferKind;
  readonly from: LedgerAccount;
  readonly to: LedgerAccount;
  readonly amountNano: bigint;
  /** The name of a top-up. */
  readonly transactionId: string | null;
  /** Of every other kind. */
  readonly responseId: string | null;
  readonly createdAt: number;
}

export interface TransferPage {
  readonly transfers: readonly Transfer[];
  /** The id before which the next page goes on, even if this one is not filled; null: nothing is left. */
  readonly next: number | null;
}

/** What a new budget has spent before an hour (UTC, since 1970), to which nothing is added, in each of its first periods. */
export interface SpentBefore {
  readonly hour: number;
  readonly periods: readonly { readonly periodFrom: number; readonly spentNano: bigint }[];
}

export interface MoneyStore {
  /** Sums the past of a new budget for `setBudget`: turns wait for every write. Throws an AccountError as it does. */
  sumSpentBefore(budget: { organizationId: string; name: BudgetName }): Promise<SpentBefore>;
  /**
   * Sets a budget's limit, 0 or more: that of `setBy`; the lower one of both is in force, and a raise by the organization
   * is cut to what the operator's limit leaves. A new budget counts what its current period has already spent and holds; an
   * existing one keeps its counters. A member is named by id or e-mail address, a key by its id. Throws an AccountError
   * when the organization is unknown or has no such member or key, and for a revoked key; a CeilingError for a limit of
   * the organization above the operator's.
   */
  setBudget(set: {
    organizationId: string;
    name: BudgetName;
    limitNano: bigint;
    /** Without it, a new budget sums all within the write. */
    spentBefore?: SpentBefore;
    by: Actor;
    setBy?: RuleSetter;
  }): Promise<Budget>;
  /**
   * Raises a budget by an amount until a time; it replaces an earlier raise, and an amount of 0 ends one. Throws an
   * AccountError when there is no such budget, or the time is past or more than a year ahead by the store's clock; a
   * CeilingError for one by the organization beyond the operator's limit, unless it makes an earlier one smaller.
   */
  raiseBudget(raise: {
    organizationId: string;
    name: BudgetName;
    raise: BudgetRaise;
    by: Actor;
    setBy?: RuleSetter;
  }): Promise<Budget>;
  /**
   * Removes the limit of `setBy`; the other one stays in force, and the operator removes that too if it is the only one.
   * Returns what is left, or the last state of a budget that is deleted. Throws an AccountError when there is no such
   * budget; a CeilingError for an organization when only the operator has set it.
   */
  clearBudget(clear: { organizationId: string; name: BudgetName; by: Actor; setBy?: RuleSetter }): Promise<Budget>;
  /** All budgets of an organization, each in its current period: by scope, then in the order of creation. */
  listBudgets(query: { organizationId: string }): Promise<readonly Budget[]>;

  /**
   * Keeps a key's request for more than the limit of a budget that its responses count in, in place of its earlier one
   * for that budget; false when the key is revoked. Throws an AccountError when there is no such budget.
   */
  requestIncrease(request: {
    id: string;
    caller: Caller;
    scope: BudgetScope;
    period: BudgetPeriod;
    amountNano: bigint;
  }): Promise<boolean>;
  /** The open requests of an organization's keys, newest first; at most 500. */
  listIncreases(query: { organizationId: string }): Promise<readonly BudgetIncrease[]>;
  /**
   * Grants an open request an amount: the budget is raised by it until the end of its period, on top of a raise that is
   * in force; a budget without periods gets a higher limit. Null when there is no such request (any more). Throws as
   * these do, and an AccountError beside a raise with another end: the request stays open then.
   */
  grantIncrease(grant: {
    organizationId: string;
    id: string;
    amountNano: bigint;
    by: Actor;
    setBy?: RuleSetter;
  }): Promise<Budget | null>;
  /** Removes an open request; null when there is none (any more). */
  declineIncrease(decline: { organizationId: string; id: string; by: Actor }): Promise<BudgetIncrease | null>;

  /**
   * Usage and charges of ended responses, of one organization or (null) of all, between two days of a zone (inclusive;
   * null: open, which `checkRange` must allow). One row when `by` is empty. Rows come in the order of their time,
   * otherwise by descending cost; at most `limit`.
   */
  readUsage(query: {
    organizationId: string | null;
    by: readonly UsageGrouping[];
    fromDay: number | null;
    toDay: number | null;
    /** Absent or null: UTC. */
    zone?: string | null;
    limit: number;
    /** Only usage of that member's keys; "": of keys that belong to no member. */
    memberId?: string | null;
    keyId?: string | null;
    model?: string | null;
  }): Promise<readonly UsageRow[]>;

  /** The standing of a key on the UTC day of the store's clock; null when it is revoked or not the organization's. */
  readKeySpending(query: { caller: Caller }): Promise<KeySpending | null>;

  /**
   * An organization's transfers, newest first: all, or top-ups only; only those before the id `before`, if given. Reads
   * `readsMax` transfers at most, whosever they are.
   */
  listTransfers(query: {
    organizationId: string;
    only: "topup" | null;
    before: number | null;
    limit: number;
    readsMax: number;
  }): Promise<TransferPage>;

  /**
   * Computes from the ledger's transfers and the responses what every balance, budget and row of usage must be, of one
   * organization or (null) of all, in one snapshot, and reports every figure that differs. Runs beside a working
   * server.
   */
  reconcile(query: { organizationId: string | null }): Promise<Reconciliation>;
}
