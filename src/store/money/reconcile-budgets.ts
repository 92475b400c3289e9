// Reconciles the counters of budgets with usage and with the holds of running responses.
import { formatDay } from "../../core/money/billing-day.ts";
import type { BudgetName } from "../../core/money/budgets.ts";
import {
  DAY_MAX,
  type Days,
  daysOf,
  type Held,
  hoursOf,
  listHeld,
  NAMED_ID,
  sumHeld,
  sumSpent,
} from "./budget-sums.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { type Compare, readAll, type Reconciled } from "./reconcile-compare.ts";
import { many } from "../engine/statement.ts";

/** What counts against a budget. */
interface Sums {
  readonly spentNano: bigint;
  readonly heldNano: bigint;
}

/** Compares every period of every budget and finds missing periods. Returns the number of periods. */
export function* reconcileBudgets(tx: Transaction, organizationId: string | null, compare: Compare): Steps<number> {
  const heldOf = cacheHeld(tx);
  let count = 0;
  const budgets = readAll((page) => selectBudgets(tx, { organizationId, ...page }));
  for (let budget = yield* budgets.next(); budget !== undefined; budget = yield* budgets.next()) {
    const counted = { budget, held: yield* heldOf(budget.organizationId) };
    const of = describe(budget);
    const periods = yield* selectPeriods(tx, { budgetId: budget.rowid });
    const recorded = { spentNano: 0n, heldNano: 0n };
    for (const { periodFrom, spentNano, heldNano } of periods) {
      const period = { of: `${of} ${formatDay(periodFrom)}`, days: daysOf(budget.period, periodFrom) };
      const stored = { spentNano: BigInt(spentNano), heldNano: BigInt(heldNano) };
      const expected = yield* compareDays(tx, { ...counted, ...period, recorded: stored }, compare);
      recorded.spentNano += expected.spentNano;
      recorded.heldNano += expected.heldNano;
    }
    count += periods.length;
    // The periods together should count everything since the first of them; otherwise one is missing.
    const days = { from: periods[0]?.periodFrom ?? 0, to: DAY_MAX };
    yield* compareDays(tx, { ...counted, of, days, recorded }, compare);
  }
  return count;
}

/** Compares what is recorded for some days of a budget with what must count on them, which is returned. */
function* compareDays(
  tx: Transaction,
  compared: {
    readonly budget: BudgetRow;
    readonly held: readonly Held[];
    readonly of: string;
    readonly days: Days;
    readonly recorded: Sums;
  },
  compare: Compare,
): Steps<Sums> {
  const { budget, held, of, days, recorded } = compared;
  const whose = { organizationId: budget.organizationId, of };
  const spentNano = yield* sumSpent(tx, budget, hoursOf(days));
  const heldNano = sumHeld(held, budget, days);
  compare("budget.spent", { ...whose, recorded: recorded.spentNano, expected: spentNano });
  compare("budget.held", { ...whose, recorded: recorded.heldNano, expected: heldNano });
  return { spentNano, heldNano };
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

function describe({ scope, id, period }: BudgetName): string {
  return id === null ? `${scope} ${period}` : `${scope} ${id} ${period}`;
}

interface BudgetRow extends BudgetName {
  readonly rowid: number;
  readonly organizationId: string;
}

const selectBudgets = many<Reconciled, BudgetRow>(`
  select b.id              as rowid,
         b.organization_id as organizationId,
         b.scope,
         ${NAMED_ID}       as id,
         b.period
    from budgets b
   where b.id > :after
     and b.scope <> 'response'
     and (cast(:organizationId as text) is null or b.organization_id = :organizationId)
   order by b.id
   limit +:limit`);

const selectPeriods = many<{ budgetId: number }, { periodFrom: number; spentNano: string; heldNano: string }>(`
  select period_from              as periodFrom,
         cast(spent_nano as text) as spentNano,
         cast(held_nano as text)  as heldNano
    from budget_periods
   where budget_id = :budgetId
   order by period_from`);
