// What a new budget begins with: what its first periods have seen, those of yesterday (a response that begins at
// midnight may be stored after this) or of the earliest running response, up to today without a gap, and those of later
// days that responses have seen before the clock was set back. Every other period counts from its first response.
import type { BudgetPeriod } from "../../contract/money.ts";
import { billingDayOf, billingHourOf, dayOfHour, firstDayOf, HOURS_PER_DAY } from "../../core/money/billing-day.ts";
import type { SpentBefore } from "../../ports/store/money.ts";
import { plainProcedure } from "../engine/procedure.ts";
import { many } from "../engine/statement.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { insertPeriod } from "./budget-counters.ts";
import { type NamedBudget, resolveName } from "./budget-names.ts";
import { type Counted, daysOf, type Held, hoursOf, listHeld, sumHeld, sumSpent } from "./budget-sums.ts";

/**
 * MoneyStore.sumSpentBefore: what those periods have spent in the hours to which no more usage will be added: those before
 * the hour of the earliest running response, and before the last one, in which a response may begin that is stored after
 * this.
 */
export const sumSpentBefore = plainProcedure(
  "aside",
  function* (tx, budget: NamedBudget, nowMs: number): Steps<SpentBefore> {
    const { scope, id, period } = yield* resolveName(tx, budget);
    const counted = { organizationId: budget.organizationId, scope, id };
    // First: what ends between the two reads is then not in the sums.
    const held = yield* listHeld(tx, counted.organizationId);
    const hour = Math.min(billingHourOf(nowMs) - 1, ...held.map((each) => each.hour));
    const periods: SpentBefore["periods"][number][] = [];
    for (const periodFrom of yield* firstPeriods(tx, held, { ...counted, period, nowMs })) {
      const { from, to } = hoursOf(daysOf(period, periodFrom));
      const spentNano = yield* sumSpent(tx, counted, { from, to: Math.min(to, hour - 1) });
      periods.push({ periodFrom, spentNano });
    }
    return { hour, periods };
  },
);

/** Opens the periods of a budget that was just stored. `before` has the long sums. */
export function* openPeriods(
  tx: Transaction,
  counted: Counted,
  { budgetId, before, ...at }: { budgetId: number; before: SpentBefore; period: BudgetPeriod; nowMs: number },
): Steps<void> {
  const held = yield* listHeld(tx, counted.organizationId);
  for (const periodFrom of yield* firstPeriods(tx, held, { ...counted, ...at })) {
    const days = daysOf(at.period, periodFrom);
    const { from, to } = hoursOf(days);
    const known = before.periods.find((each) => each.periodFrom === periodFrom)?.spentNano;
    const rest = { from: known === undefined ? from : Math.max(from, before.hour), to };
    const spentNano = (known ?? 0n) + (yield* sumSpent(tx, counted, rest));
    yield* insertPeriod(tx, { budgetId, periodFrom, spentNano, heldNano: sumHeld(held, counted, days) });
  }
}

/** The first days of the periods that a new budget has. */
function* firstPeriods(
  tx: Transaction,
  held: readonly Held[],
  { organizationId, period, nowMs }: { organizationId: string; period: BudgetPeriod; nowMs: number },
): Steps<ReadonlySet<number>> {
  const today = billingDayOf(nowMs);
  const periods = new Set<number>();
  for (let day = Math.min(today - 1, ...held.map((each) => each.day)); day <= today; day++) {
    periods.add(firstDayOf(period, day));
  }
  const from = (today + 1) * HOURS_PER_DAY;
  for (const { hour } of [...held, ...(yield* selectHoursFrom(tx, { organizationId, from }))]) {
    if (hour >= from) periods.add(firstDayOf(period, dayOfHour(hour)));
  }
  return periods;
}

const selectHoursFrom = many<{ organizationId: string; from: number }, { hour: number }>(`
  select distinct hour
    from usage_by_hour
   where organization_id = :organizationId
     and hour >= :from
   order by hour`);
