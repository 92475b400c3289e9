// What the holder of a key may know: the key's own usage, and the budgets that its responses count in.
import { billingDayOf, billingHourOf, firstDayAfter, firstDayOf } from "../../core/money/billing-day.ts";
import type { Caller } from "../../ports/store/histories.ts";
import type { BudgetIncrease, KeyBudget, KeySpending } from "../../ports/store/money.ts";
import { findLiveKey } from "../accounts/keys.ts";
import { plainProcedure } from "../engine/procedure.ts";
import type { Steps } from "../engine/transaction.ts";
import { findBudgets, leftOf, type ResponseBudgets } from "./budget-counters.ts";
import { listIncreasesOfKey } from "./budget-increases.ts";
import { hoursOf } from "./budget-sums.ts";
import { sumUsageOfKey } from "./usage.ts";

/** MoneyStore.readKeySpending. */
export const readKeySpending = plainProcedure(
  "read",
  function* (tx, { caller }: { caller: Caller }, nowMs): Steps<KeySpending | null> {
    const key = yield* findLiveKey(tx, caller);
    if (key === undefined) return null;
    const today = billingDayOf(nowMs);
    const sumFrom = (from: number) => sumUsageOfKey(tx, { ...caller, ...hoursOf({ from, to: today }) });
    const billed = { ...caller, memberId: key.memberId, billingHour: billingHourOf(nowMs) };
    const budgets = presentBudgets(yield* findBudgets(tx, billed, nowMs));
    const increases = yield* listIncreasesOfKey(tx, caller, nowMs);
    return {
      today: yield* sumFrom(today),
      month: yield* sumFrom(firstDayOf("month", today)),
      budgets: budgets.map((budget) => withIncrease(budget, increases)),
    };
  },
);

function withIncrease(budget: KeyBudget, increases: readonly BudgetIncrease[]): KeyBudget {
  const { scope, period } = budget;
  const found = increases.find((each) => each.budget.scope === scope && each.budget.period === period);
  if (found === undefined) return budget;
  return { ...budget, increase: { amountNano: found.amountNano, atMs: found.atMs } };
}

function presentBudgets({ counted, responseLimitNano }: ResponseBudgets): KeyBudget[] {
  const budgets = counted.map((budget) => ({
    scope: budget.scope,
    period: budget.period,
    limitNano: budget.limitNano,
    leftNano: leftOf(budget),
    heldNano: budget.counters.heldNano,
    resetsOnDay: firstDayAfter(budget.period, budget.counters.periodFrom),
  }));
  if (responseLimitNano === null) return budgets;
  const limit = { limitNano: responseLimitNano, leftNano: responseLimitNano, heldNano: 0n };
  return [{ scope: "response", period: "total", ...limit, resetsOnDay: null }, ...budgets];
}
