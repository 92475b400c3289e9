// Reconciles the counters of budgets with usage and with the holds of running responses.
import type { BudgetPeriod } from "../../contract/money.ts";
import { formatDay } from "../../core/money/billing-day.ts";
import { type Counted, DAY_MAX, daysOf, type Held, listHeld, NAMED_ID, sumHeld, sumSpent } from "./budget-sums.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { type Compare, RECONCILED_PAGE } from "./reconcile-compare.ts";
import { readPaged } from "../engine/paged.ts";
import { many } from "../engine/statement.ts";

/** A budget with the sums over its periods read so far. */
interface BudgetSums extends Counted {
  readonly budgetId: number;
  readonly period: BudgetPeriod;
  /** The first day that it counts. */
  readonly from: number;
  /** What its periods should count, in total. */
  spentNano: bigint;
  heldNano: bigint;
}

/** Compares every period of every budget and finds missing periods. Returns the number of periods. */
export function* reconcileBudgets(tx: Transaction, organizationId: string | null, compare: Compare): Steps<number> {
  const heldOf = cacheHeld(tx);
  let count = 0;
  let sums: BudgetSums | null = null;
  const periods = readPaged<PeriodRow>(RECONCILED_PAGE, (last, limit) =>
    selectPeriods(tx, { organizationId, afterBudget: last?.budgetId ?? 0, afterPeriod: last?.periodFrom ?? -1, limit }),
  );
  for (let row = yield* periods.next(); row !== undefined; row = yield* periods.next()) {
    const held = yield* heldOf(row.organizationId);
    if (sums?.budgetId !== row.budgetId) {
      if (sums !== null) yield* compareWhole(tx, sums, yield* heldOf(sums.organizationId), compare);
      sums = { ...row, from: row.periodFrom ?? 0, spentNano: 0n, heldNano: 0n };
    }
    if (row.periodFrom === null) continue;
    count++;
    const days = daysOf(row.period, row.periodFrom);
    const spentNano = yield* sumSpent(tx, row, days);
    const heldNano = sumHeld(held, row, days);
    const whose = { organizationId: row.organizationId, of: `${describe(row)} ${formatDay(row.periodFrom)}` };
    compare("budget.spent", { ...whose, recorded: BigInt(row.spentNano ?? "0"), expected: spentNano });
    compare("budget.held", { ...whose, recorded: BigInt(row.heldNano ?? "0"), expected: heldNano });
    sums.spentNano += spentNano;
    sums.heldNano += heldNano;
  }
  if (sums !== null) yield* compareWhole(tx, sums, yield* heldOf(sums.organizationId), compare);
  return count;
}

/** The periods together should count everything since the first of them; otherwise one is missing. */
function* compareWhole(tx: Transaction, sums: BudgetSums, held: readonly Held[], compare: Compare): Steps<void> {
  const days = { from: sums.from, to: DAY_MAX };
  const whose = { organizationId: sums.organizationId, of: describe(sums) };
  const { spentNano, heldNano } = sums;
  compare("budget.spent", { ...whose, recorded: spentNano, expected: yield* sumSpent(tx, sums, days) });
  compare("budget.held", { ...whose, recorded: heldNano, expected: sumHeld(held, sums, days) });
}

/** Reads the holds of an organization's responses once for all of its budgets. */
function cacheHeld(tx: Transaction) {
  const known = new Map<string, readonly Held[]>();
  return function* (organizationId: string): Steps<readonly Held[]> {
    const held = known.get(organizationId) ?? (yield* listHeld(tx, organizationId));
    known.set(organizationId, held);
    return held;
  };
}

function describe({ scope, id, period }: Counted & { readonly period: BudgetPeriod }): string {
  return id === null ? `${scope} ${period}` : `${scope} ${id} ${period}`;
}

interface PeriodRow extends Counted {
  readonly budgetId: number;
  readonly period: BudgetPeriod;
  /** Null: the budget has no period. */
  readonly periodFrom: number | null;
  readonly spentNano: string | null;
  readonly heldNano: string | null;
}

const selectPeriods = many<
  { organizationId: string | null; afterBudget: number; afterPeriod: number; limit: number },
  PeriodRow
>(`
  select b.id                       as budgetId,
         b.organization_id          as organizationId,
         b.scope,
         ${NAMED_ID}                as id,
         b.period,
         p.period_from              as periodFrom,
         cast(p.spent_nano as text) as spentNano,
         cast(p.held_nano as text)  as heldNano
    from budgets b
    left join budget_periods p on p.budget_id = b.id
   where b.id >= :afterBudget
     and (b.id > :afterBudget or coalesce(p.period_from, -1) > :afterPeriod)
     and b.scope <> 'response'
     and (cast(:organizationId as text) is null or b.organization_id = :organizationId)
   order by b.id, p.period_from
   limit +:limit`);
