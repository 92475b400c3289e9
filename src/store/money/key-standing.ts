// What the holder of a key may know: the key's own usage, and the budgets that its turns count in.
import { billingDayOf, billingHourOf, firstDayAfter, firstDayOf } from "../../core/money/billing-day.ts";
import type { Caller } from "../../ports/store/histories.ts";
import type { KeyBudget, KeyStanding } from "../../ports/store/money.ts";
import { findLiveKey } from "../accounts/keys.ts";
import { plainOperation } from "../engine/operation.ts";
import type { Steps } from "../engine/transaction.ts";
import { findBudgets, leftOf, type TurnBudgets } from "./budget-counters.ts";
import { hoursOf } from "./budget-sums.ts";
import { sumUsageOfKey } from "./usage.ts";

/** MoneyStore.readKeyStanding. */
export const readKeyStanding = plainOperation(
  "read",
  function* (tx, { caller }: { caller: Caller }, nowMs): Steps<KeyStanding | null> {
    const key = yield* findLiveKey(tx, caller);
    if (key === undefined) return null;
    const today = billingDayOf(nowMs);
    const sumFrom = (from: number) => sumUsageOfKey(tx, { ...caller, ...hoursOf({ from, to: today }) });
    return {
      today: yield* sumFrom(today),
      month: yield* sumFrom(firstDayOf("month", today)),
      budgets: presentBudgets(
        yield* findBudgets(tx, { ...caller, memberId: key.memberId, billingHour: billingHourOf(nowMs) }, nowMs),
      ),
    };
  },
);

function presentBudgets({ counted, responseLimitNano }: TurnBudgets): KeyBudget[] {
  const budgets = counted.map((budget) => ({
    scope: budget.scope,
    period: budget.period,
    limitNano: budget.limitNano,
    leftNano: leftOf(budget),
    resetsOnDay: firstDayAfter(budget.period, budget.counters.periodFrom),
  }));
  if (responseLimitNano === null) return budgets;
  const limit = { limitNano: responseLimitNano, leftNano: responseLimitNano };
  return [{ scope: "response", period: "total", ...limit, resetsOnDay: null }, ...budgets];
}
