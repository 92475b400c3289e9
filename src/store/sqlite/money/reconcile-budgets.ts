// Reconciling the counters of budgets with usage and with what running responses hold.
import type { BudgetPeriod, BudgetScope } from "../../../contract/spending.ts";
import { formatDay } from "../../../core/accounts/billing-day.ts";
import { type Counted, DAY_MAX, daysOf, type Held, listHeld, sumHeld, sumSpent } from "./budget-sums.ts";
import type { Connection } from "../database/connection.ts";
import type { Compare } from "./reconcile-compare.ts";
import { each } from "../database/statement.ts";

/** A budget on the way through its periods. */
interface Passed extends Counted {
  readonly budgetId: number;
  readonly period: BudgetPeriod;
  /** First day that it counts. */
  readonly from: number;
  /** What its periods should count, all together. */
  spentNano: bigint;
  heldNano: bigint;
}

/** Compares every period of every budget, and looks for periods that are missing; how many periods there are. */
export function reconcileBudgets(connection: Connection, organizationId: string | null, compare: Compare): number {
  const heldOf = rememberHeld(connection);
  let count = 0;
  let passed: Passed | null = null;
  for (const row of eachPeriod(connection, { organizationId })) {
    const held = heldOf(row.organizationId);
    if (passed?.budgetId !== row.budgetId) {
      if (passed !== null) compareWhole(connection, passed, heldOf(passed.organizationId), compare);
      passed = { ...row, from: row.periodFrom ?? 0, spentNano: 0n, heldNano: 0n };
    }
    if (row.periodFrom === null) continue;
    count++;
    const days = daysOf(row.period, row.periodFrom);
    const spentNano = sumSpent(connection, row, days);
    const heldNano = sumHeld(held, row, days);
    const whose = { organizationId: row.organizationId, of: `${describe(row)} ${formatDay(row.periodFrom)}` };
    compare("budget.spent", { ...whose, recorded: BigInt(row.spentNano ?? "0"), expected: spentNano });
    compare("budget.held", { ...whose, recorded: BigInt(row.heldNano ?? "0"), expected: heldNano });
    passed.spentNano += spentNano;
    passed.heldNano += heldNano;
  }
  if (passed !== null) compareWhole(connection, passed, heldOf(passed.organizationId), compare);
  return count;
}

/** What its periods should count is all that there is since the first of them: else one is missing. */
function compareWhole(connection: Connection, passed: Passed, held: readonly Held[], compare: Compare): void {
  const days = { from: passed.from, to: DAY_MAX };
  const whose = { organizationId: passed.organizationId, of: describe(passed) };
  const { spentNano, heldNano } = passed;
  compare("budget.spent", { ...whose, recorded: spentNano, expected: sumSpent(connection, passed, days) });
  compare("budget.held", { ...whose, recorded: heldNano, expected: sumHeld(held, passed, days) });
}

/** What the responses of an organization hold, read once for all of its budgets. */
function rememberHeld(connection: Connection) {
  const known = new Map<string, readonly Held[]>();
  return (organizationId: string): readonly Held[] => {
    const held = known.get(organizationId) ?? listHeld(connection, organizationId);
    known.set(organizationId, held);
    return held;
  };
}

function describe({ scope, scopeId, period }: Counted & { readonly period: BudgetPeriod }): string {
  return scope === "member" || scope === "key" ? `${scope} ${scopeId} ${period}` : `${scope} ${period}`;
}

interface PeriodRow extends Counted {
  readonly budgetId: number;
  readonly scope: Exclude<BudgetScope, "response">;
  readonly period: BudgetPeriod;
  /** Null: the budget has no period. */
  readonly periodFrom: number | null;
  readonly spentNano: string | null;
  readonly heldNano: string | null;
}

const eachPeriod = each<{ organizationId: string | null }, PeriodRow>(`
  select b.id                       as budgetId,
         b.organization_id          as organizationId,
         b.scope,
         b.scope_id                 as scopeId,
         b.period,
         p.period_from              as periodFrom,
         cast(p.spent_nano as text) as spentNano,
         cast(p.held_nano as text)  as heldNano
    from budgets b
    left join budget_periods p on p.budget_id = b.id
   where b.id > 0
     and b.scope <> 'response'
     and (:organizationId is null or b.organization_id = :organizationId)
   order by b.id, p.period_from`);
