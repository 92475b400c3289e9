// The counters of budgets, as turns change them: held and spent. budgets.ts sets and lists budgets. A turn counts in
// the periods that contain its billing day, however long it runs. See docs/decisions/money.md
import { firstDayOf } from "../../core/money/billing-day.ts";
import { BUDGET_SCOPES_BY_WIDTH } from "../../core/money/messages.ts";
import type { BudgetPeriod, BudgetScope } from "../../contract/money.ts";
import type { Shortage } from "../../ports/store/funds.ts";
import { StoreError } from "../../ports/store/store.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { change, many, one, write } from "../engine/statement.ts";

/** Whose turn it is, and the UTC day that it counts on. */
export interface Billed {
  readonly organizationId: string;
  readonly keyId: string;
  /** Null: the key has no owner. */
  readonly memberId: string | null;
  readonly billingDay: number;
}

/** A budget that a turn counts against, in the turn's period. */
export interface CountedBudget {
  readonly id: number;
  readonly scope: BudgetScope;
  readonly period: BudgetPeriod;
  readonly periodFrom: number;
  readonly limitNano: bigint;
  readonly spentNano: bigint;
  readonly heldNano: bigint;
  /** Whether the period has a row; a period before the budget was set never gets one. */
  readonly isOpen: boolean;
}

export interface TurnBudgets {
  /** Narrowest scope first, the order in which shortages are reported. */
  readonly counted: readonly CountedBudget[];
  /** The limit of a single response; null: none. */
  readonly responseLimitNano: bigint | null;
}

/** The budgets that a turn counts against. */
export function* findBudgets(tx: Transaction, billed: Billed): Steps<TurnBudgets> {
  // Most organizations have none: this check costs a tenth of the query for each scope.
  return (yield* selectAny(tx, billed)) === undefined ? NO_BUDGETS : yield* readBudgets(tx, billed);
}

/** The same for an organization that has some. */
function* readBudgets(tx: Transaction, billed: Billed): Steps<TurnBudgets> {
  const { organizationId, keyId, memberId, billingDay } = billed;
  const rows = yield* selectBudgets(tx, {
    organizationId,
    keyId,
    memberId: memberId ?? keyId,
    day: billingDay,
    month: firstDayOf("month", billingDay),
  });
  if (rows.length === 0) return NO_BUDGETS;
  const limit = rows.find(({ scope }) => scope === "response")?.limitNano;
  const counted = rows
    .filter(({ scope }) => scope !== "response")
    .map((row) => ({
      ...row,
      periodFrom: firstDayOf(row.period, billingDay),
      limitNano: BigInt(row.limitNano),
      spentNano: BigInt(row.spentNano ?? 0),
      heldNano: BigInt(row.heldNano ?? 0),
      isOpen: row.spentNano !== null,
    }))
    .toSorted((a, b) => BUDGET_SCOPES_BY_WIDTH.indexOf(a.scope) - BUDGET_SCOPES_BY_WIDTH.indexOf(b.scope));
  return { counted, responseLimitNano: limit === undefined ? null : BigInt(limit) };
}

/** For an organization without budgets. */
export const NO_BUDGETS: TurnBudgets = { counted: [], responseLimitNano: null };

/** What a budget has left; never below zero. */
export function leftOf({ limitNano, spentNano, heldNano }: CountedBudget): bigint {
  const left = limitNano - spentNano - heldNano;
  return left > 0n ? left : 0n;
}

/** Whether a budget is spent completely. */
export function isSpent({ limitNano, spentNano }: CountedBudget): boolean {
  return spentNano >= limitNano;
}

/** The shortage to report for a budget. */
export function shortageOf({ scope, period, limitNano, spentNano, heldNano }: CountedBudget): Shortage {
  return { kind: "budget", scope, period, limitNano, spentNano, heldNano };
}

/**
 * Adds an amount to the holds of each budget. The statement checks the limit again: a concurrent change cannot exceed
 * it.
 */
export function* holdOnBudgets(tx: Transaction, budgets: readonly CountedBudget[], amountNano: bigint): Steps<void> {
  for (const { id, periodFrom } of budgets) {
    const { changes } = yield* addHeld(tx, { id, periodFrom, amountNano });
    if (changes !== 1)
      throw new StoreError("failed", `The budget ${id} has less left than was read in the same transaction.`);
  }
}

/** Opens the periods of a priced turn that holds nothing at first, so that its later holds and charge count there. */
export function* openPeriods(tx: Transaction, budgets: readonly CountedBudget[]): Steps<void> {
  for (const { id, periodFrom, isOpen } of budgets) if (!isOpen) yield* insertPeriod(tx, { id, periodFrom });
}

/** Releases a hold and counts the charge. */
export function* settleOnBudgets(
  tx: Transaction,
  billed: Billed,
  amounts: { readonly heldNano: bigint; readonly chargedNano: bigint },
): Steps<void> {
  for (const { id, periodFrom, isOpen } of (yield* findBudgets(tx, billed)).counted) {
    if (isOpen) yield* moveToSpent(tx, { id, periodFrom, ...amounts });
  }
}

const selectAny = one<{ organizationId: string }, { readonly id: number }>(`
  select id
    from budgets
   where organization_id = :organizationId
   limit 1`);

/** One select per scope: a single select with lists would look up every scope with every id. */
const SCOPES = [
  "b.scope = 'key' and b.scope_id = :keyId",
  "b.scope = 'member' and b.scope_id = :memberId",
  "b.scope in ('organization', 'organization-day', 'response') and b.scope_id = :organizationId",
];

/** A key without an owner passes its own id as member id, which matches no member. */
const selectBudgets = many<
  { organizationId: string; keyId: string; memberId: string; day: number; month: number },
  {
    readonly id: number;
    readonly scope: BudgetScope;
    readonly period: BudgetPeriod;
    readonly limitNano: string;
    readonly spentNano: string | null;
    readonly heldNano: string | null;
  }
>(
  SCOPES.map(
    (scope) => `
  select b.id,
         b.scope,
         b.period,
         cast(b.limit_nano as text) as limitNano,
         cast(p.spent_nano as text) as spentNano,
         cast(p.held_nano as text)  as heldNano
    from budgets b
    left join budget_periods p
           on p.budget_id = b.id
          and p.period_from = case b.period when 'day' then :day when 'month' then :month else 0 end
   where b.organization_id = :organizationId
     and ${scope}`,
  ).join(" union all "),
);

const addHeld = change<{ id: number; periodFrom: number; amountNano: bigint }>(`
  insert into budget_periods (budget_id, period_from, held_nano)
  select id, cast(:periodFrom as bigint), cast(:amountNano as bigint)
    from budgets
   where id = :id
     and limit_nano >= :amountNano
      on conflict (budget_id, period_from) do update
     set held_nano = budget_periods.held_nano + excluded.held_nano
   where budget_periods.spent_nano + budget_periods.held_nano + excluded.held_nano
      <= (select limit_nano from budgets where id = budget_periods.budget_id)`);

const insertPeriod = write<{ id: number; periodFrom: number }>(`
  insert into budget_periods (budget_id, period_from)
  values (:id, :periodFrom)`);

const moveToSpent = write<{ id: number; periodFrom: number; heldNano: bigint; chargedNano: bigint }>(`
  update budget_periods
     set held_nano  = held_nano - :heldNano,
         spent_nano = spent_nano + :chargedNano
   where budget_id = :id
     and period_from = :periodFrom`);
