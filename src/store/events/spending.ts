// Events of money that responses spend. Detected from the sums that a commit has in memory: a charge that reaches no
// share reads and writes nothing for it.
import { BUDGET_SHARES, CREDIT_SHARES } from "../../contract/manage/event-types.ts";
import { formatDay } from "../../core/money/billing-day.ts";
import { type BudgetName, describeBudget } from "../../core/money/budgets.ts";
import { creditsAsNumber } from "../../core/money/credits.ts";
import { forecastEnd, reachedDownwards, reachedUpwards } from "../../core/money/shares.ts";
import type { Transaction } from "../engine/transaction.ts";
import { emit, type EmittedEvent } from "./feed.ts";

/** The spending of a budget in one of its periods, before a charge and after it. */
interface ChargedBudget {
  readonly organizationId: string;
  readonly name: BudgetName;
  readonly periodFrom: number;
  /** With the raise that is in force. */
  readonly limitNano: bigint;
  readonly beforeNano: bigint;
  readonly afterNano: bigint;
}

/** The key or the member whose budget it is, for its name in an event. */
export function aboutBudget({ scope, id }: BudgetName): Pick<EmittedEvent, "about"> {
  return (scope === "key" || scope === "member") && id !== null ? { about: { kind: scope, id } } : {};
}

/** What events of a budget in one of its periods have in common. */
export function describePeriod(name: BudgetName, periodFrom: number) {
  const { scope, id, period } = name;
  return {
    target: describeBudget(name),
    ...aboutBudget(name),
    data: { scope, id, period, period_from: period === "total" ? null : formatDay(periodFrom) },
  };
}

/** Emits an event if a charge has reached a share of a budget: each share once a period and limit. */
export function emitBudgetShare(budget: ChargedBudget, nowMs: number, tx: Transaction): void {
  const { organizationId, name, periodFrom, limitNano, afterNano: spentNano } = budget;
  const share = reachedUpwards(BUDGET_SHARES, { ...budget, wholeNano: limitNano });
  if (share === null) return;
  const { period } = name;
  const endMs = share === 100 ? null : forecastEnd({ period, periodFrom, limitNano, spentNano }, nowMs);
  const { data, ...described } = describePeriod(name, periodFrom);
  emit(
    {
      organizationId,
      atMs: nowMs,
      type: "budget.reached",
      ...described,
      data: {
        share,
        ...data,
        limit: creditsAsNumber(limitNano),
        spent: creditsAsNumber(spentNano),
        used_up_at: endMs === null ? null : Math.floor(endMs / 1000),
      },
      once: `budget ${organizationId} ${described.target} ${periodFrom} ${limitNano} ${share}`,
    },
    tx,
  );
}

/** What an organization has, credits and holds, before a charge and after it. */
interface ChargedBalance {
  readonly organizationId: string;
  readonly beforeNano: bigint;
  readonly afterNano: bigint;
  /** The same after its last top-up. */
  readonly toppedUpNano: bigint;
  /** The sum of its top-ups, which tells one from the next. */
  readonly topUpsNano: bigint;
}

/** Emits an event if a charge has reached a share of what the last top-up left: each share once a top-up. */
export function emitCreditShare(balance: ChargedBalance, nowMs: number, tx: Transaction): void {
  const { organizationId, afterNano, toppedUpNano, topUpsNano } = balance;
  const share = reachedDownwards(CREDIT_SHARES, { ...balance, wholeNano: toppedUpNano });
  if (share === null) return;
  emit(
    {
      organizationId,
      atMs: nowMs,
      type: "credits.low",
      target: null,
      data: { share, credits: creditsAsNumber(afterNano), topped_up: creditsAsNumber(toppedUpNano) },
      once: `credits ${organizationId} ${topUpsNano} ${share}`,
    },
    tx,
  );
}
