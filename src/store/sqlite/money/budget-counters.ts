// Budgets as turns count against them: what may still be held, held, spent. Setting and listing them is budgets.ts's.
// A turn counts to the periods that its billing day lies in, however long it runs. docs/decisions/money.md
import { firstDayOf } from "../../../core/accounts/billing-day.ts";
import { BUDGET_SCOPES_BY_WIDTH } from "../../../core/accounts/spend.ts";
import type { BudgetPeriod, BudgetScope } from "../../../contract/spending.ts";
import type { Shortage } from "../../../ports/funds.ts";
import { StoreError } from "../../../ports/store.ts";
import type { Connection } from "../database/connection.ts";
import { change, many, one } from "../database/statement.ts";

/** Whose turn it is, and the UTC day that it counts to. */
export interface Billed {
  readonly organizationId: string;
  readonly keyId: string;
  /** Null: the key is nobody's. */
  readonly memberId: string | null;
  readonly billingDay: number;
}

/** A budget that a turn counts against, in its period. */
export interface CountedBudget {
  readonly id: number;
  readonly scope: BudgetScope;
  readonly period: BudgetPeriod;
  readonly periodFrom: number;
  readonly limitNano: bigint;
  readonly spentNano: bigint;
  readonly heldNano: bigint;
  /** Whether the period has a row: a budget that was set after it never gets one. */
  readonly isOpen: boolean;
}

export interface TurnBudgets {
  /** Narrowest scope first: that is the one a client hears of. */
  readonly counted: readonly CountedBudget[];
  /** What a single response may cost; null: there is no limit. */
  readonly responseLimitNano: bigint | null;
}

/** The budgets that a turn counts against. */
export function findBudgets(connection: Connection, billed: Billed): TurnBudgets {
  const { organizationId, keyId, memberId, billingDay } = billed;
  // Most organizations have none: a tenth of the cost of asking for each scope.
  if (selectAny(connection, { organizationId }) === undefined) return NO_BUDGETS;
  const rows = selectBudgets(connection, {
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

const NO_BUDGETS: TurnBudgets = { counted: [], responseLimitNano: null };

/** What a budget has left; never below zero. */
export function leftOf({ limitNano, spentNano, heldNano }: CountedBudget): bigint {
  const left = limitNano - spentNano - heldNano;
  return left > 0n ? left : 0n;
}

/** The shortage that a budget is. */
export function shortageOf(budget: CountedBudget, neededNano: bigint): Shortage {
  const { scope, period, limitNano, spentNano, heldNano } = budget;
  return { kind: "budget", scope, period, limitNano, spentNano, heldNano, neededNano };
}

/** Sets an amount aside on each budget. The statement looks at the limit too: what was checked before can't have been another. */
export function holdOnBudgets(connection: Connection, budgets: readonly CountedBudget[], amountNano: bigint): void {
  for (const { id, periodFrom } of budgets) {
    const { changes } = addHeld(connection, { id, periodFrom, amountNano });
    if (changes !== 1) throw new StoreError("failed", `The budget ${id} has less left than was read.`);
  }
}

/** Gives back what was set aside and counts what was charged of it. */
export function settleOnBudgets(
  connection: Connection,
  billed: Billed,
  amounts: { readonly heldNano: bigint; readonly chargedNano: bigint },
): void {
  for (const { id, periodFrom, isOpen } of findBudgets(connection, billed).counted) {
    if (isOpen) moveToSpent(connection, { id, periodFrom, ...amounts });
  }
}

const selectAny = one<{ organizationId: string }, { readonly id: number }>(`
  select id
    from budgets
   where organization_id = :organizationId
   limit 1`);

/** Each is looked up by itself: asked for as lists, every scope would be looked up with every id. */
const SCOPES = [
  "b.scope = 'key' and b.scope_id = :keyId",
  "b.scope = 'member' and b.scope_id = :memberId",
  "b.scope in ('organization', 'organization-day', 'response') and b.scope_id = :organizationId",
];

/** A key that is nobody's asks for its own id as member: no member has it. */
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
  select id, :periodFrom, :amountNano
    from budgets
   where id = :id
     and limit_nano >= :amountNano
      on conflict (budget_id, period_from) do update
     set held_nano = held_nano + excluded.held_nano
   where spent_nano + held_nano + excluded.held_nano <= (select limit_nano from budgets where id = budget_id)`);

const moveToSpent = change<{ id: number; periodFrom: number; heldNano: bigint; chargedNano: bigint }>(`
  update budget_periods
     set held_nano  = held_nano - :heldNano,
         spent_nano = spent_nano + :chargedNano
   where budget_id = :id
     and period_from = :periodFrom`);
