// The counters of budgets, as responses change them: held and spent. budgets.ts sets and lists budgets. A response
// counts in the periods that contain its billing hour, however long it runs. See docs/decisions/money.md
import { BUDGET_PERIODS } from "../../contract/money.ts";
import { dayOfHour, firstDayOf } from "../../core/money/billing-day.ts";
import type { BudgetName } from "../../core/money/budgets.ts";
import { BUDGET_SCOPES_BY_WIDTH } from "../../core/money/messages.ts";
import type { Shortage } from "../../ports/store/funds.ts";
import { emitBudgetShare } from "../events/spending.ts";
import { type RowBuffer, rowBuffer } from "../engine/buffer.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { many, one, write } from "../engine/statement.ts";
import { NAMED_ID } from "./budget-sums.ts";
import type { BudgetRaise } from "../../ports/store/money.ts";

/** Whose response it is, and when it began. */
export interface Billed {
  readonly organizationId: string;
  readonly keyId: string;
  /** Null: the key has no owner. */
  readonly memberId: string | null;
  /** The UTC hour that it counts to. */
  readonly billingHour: number;
}

/** A budget that a response counts against, in the response's period. */
export interface CountedBudget extends BudgetName {
  /** With the raise that is in force. */
  readonly limitNano: bigint;
  readonly counters: PeriodCounters;
}

/** What counts against a budget in one of its periods: read once a commit, changed in memory, written once. */
interface PeriodCounters {
  readonly budgetId: number;
  readonly periodFrom: number;
  spentNano: bigint;
  heldNano: bigint;
  /** Whether the period is open; a period before the budget was set never is. */
  isOpen: boolean;
  /** Whether it has a row. */
  isStored: boolean;
  /** What is not written yet. */
  unwrittenSpentNano: bigint;
  unwrittenHeldNano: bigint;
}

/** The budgets that a response counts against, and its own limit. */
export interface ResponseBudgets {
  /** Narrowest scope first, the order in which shortages are reported. */
  readonly counted: readonly CountedBudget[];
  /** The limit of a single response; null: none. */
  readonly responseLimitNano: bigint | null;
}

const PERIODS: RowBuffer<PeriodCounters> = rowBuffer();
const BUDGETS: RowBuffer<ResponseBudgets> = rowBuffer();

/**
 * The budgets that a response counts against, read once a commit, with their limits at the time of that. A caller that
 * changes their counters has locked the organization's balance.
 */
export function* findBudgets(tx: Transaction, billed: Billed, nowMs: number): Steps<ResponseBudgets> {
  const { organizationId, keyId, memberId } = billed;
  const billingDay = dayOfHour(billed.billingHour);
  const budgets = BUDGETS(tx);
  const name = `${organizationId} ${keyId} ${memberId} ${billingDay}`;
  const known = budgets.get(name);
  if (known !== undefined) return known;
  // Most organizations have none: this check costs a tenth of the query for each scope.
  const hasAny = (yield* selectAny(tx, { organizationId })) !== undefined;
  const found = hasAny ? yield* readBudgets(tx, { organizationId, keyId, memberId, billingDay }, nowMs) : NO_BUDGETS;
  // Another call of the same transaction may have read them meanwhile.
  const read = budgets.get(name) ?? found;
  budgets.set(name, read);
  return read;
}

function* readBudgets(
  tx: Transaction,
  response: Omit<Billed, "billingHour"> & { readonly billingDay: number },
  nowMs: number,
): Steps<ResponseBudgets> {
  const { organizationId, keyId, memberId, billingDay } = response;
  const rows = yield* selectBudgets(tx, {
    organizationId,
    keyId,
    memberId: memberId ?? keyId,
    day: billingDay,
    month: firstDayOf("month", billingDay),
  });
  const limitOf = (row: BudgetRow) => BigInt(row.limitNano) + (raiseAt(row, nowMs)?.amountNano ?? 0n);
  const limit = rows.find(({ scope }) => scope === "response");
  const counted = rows
    .filter(({ scope }) => scope !== "response")
    .map((row) => {
      const { scope, id, period } = row;
      return {
        scope,
        id,
        period,
        limitNano: limitOf(row),
        counters: countersOf(tx, row, firstDayOf(period, billingDay)),
      };
    })
    .toSorted((a, b) => rankOf(a) - rankOf(b));
  return { counted, responseLimitNano: limit === undefined ? null : limitOf(limit) };
}

/** Narrowest scope first, and of a scope the shortest period. */
function rankOf({ scope, period }: Pick<BudgetRow, "scope" | "period">): number {
  return BUDGET_SCOPES_BY_WIDTH.indexOf(scope) * BUDGET_PERIODS.length + BUDGET_PERIODS.indexOf(period);
}

/** The counters of a period: those that other responses of this commit have changed, or those of the row. */
function countersOf(tx: Transaction, { budgetId, spentNano, heldNano }: BudgetRow, periodFrom: number): PeriodCounters {
  const periods = PERIODS(tx);
  const name = `${budgetId} ${periodFrom}`;
  const known = periods.get(name);
  if (known !== undefined) return known;
  const read: PeriodCounters = {
    budgetId,
    periodFrom,
    spentNano: BigInt(spentNano ?? 0),
    heldNano: BigInt(heldNano ?? 0),
    isOpen: spentNano !== null,
    isStored: spentNano !== null,
    unwrittenSpentNano: 0n,
    unwrittenHeldNano: 0n,
  };
  periods.set(name, read);
  return read;
}

/** For an organization without budgets. */
export const NO_BUDGETS: ResponseBudgets = { counted: [], responseLimitNano: null };

/** What a budget has left; never below zero. */
export function leftOf({ limitNano, counters }: CountedBudget): bigint {
  const left = limitNano - counters.spentNano - counters.heldNano;
  return left > 0n ? left : 0n;
}

/** Whether a budget is spent completely. */
export function isSpent({ limitNano, counters }: CountedBudget): boolean {
  return counters.spentNano >= limitNano;
}

/** The shortage to report for a budget. */
export function shortageOf(
  { scope, id, period, limitNano, counters }: CountedBudget,
  response: Pick<Shortage, "ownNano" | "neededNano">,
): Shortage {
  const { spentNano, heldNano } = counters;
  return { kind: "budget", scope, id, period, limitNano, spentNano, heldNano, ...response };
}

/** Adds an amount to the holds of each budget, which has that much left; their periods are open. */
export function holdOnBudgets(budgets: readonly CountedBudget[], amountNano: bigint): void {
  for (const { counters } of budgets) count(counters, { heldNano: amountNano, spentNano: 0n });
}

/** Opens the periods of a priced response, even if it holds nothing yet: its later holds and its charge count there. */
export function openPeriods(budgets: readonly CountedBudget[]): void {
  for (const { counters } of budgets) counters.isOpen = true;
}

/** Releases a hold and counts the charge. Emits an event for a budget of which it reaches a share. */
export function* settleOnBudgets(
  tx: Transaction,
  billed: Billed,
  { heldNano, chargedNano }: { readonly heldNano: bigint; readonly chargedNano: bigint },
  nowMs: number,
): Steps<void> {
  const { organizationId } = billed;
  for (const { counters, limitNano, ...name } of (yield* findBudgets(tx, billed, nowMs)).counted) {
    if (!counters.isOpen) continue;
    count(counters, { heldNano: -heldNano, spentNano: chargedNano });
    if (chargedNano === 0n) continue;
    const { spentNano: afterNano, periodFrom } = counters;
    const charged = { beforeNano: afterNano - chargedNano, afterNano, limitNano };
    emitBudgetShare({ organizationId, name, periodFrom, ...charged }, nowMs, tx);
  }
}

function count(counters: PeriodCounters, { heldNano, spentNano }: { heldNano: bigint; spentNano: bigint }): void {
  counters.heldNano += heldNano;
  counters.spentNano += spentNano;
  counters.unwrittenHeldNano += heldNano;
  counters.unwrittenSpentNano += spentNano;
}

/** Writes the counters that have changed. */
export function* writeCounters(tx: Transaction): Steps<void> {
  for (const counters of PERIODS(tx).values()) {
    const { budgetId, periodFrom, unwrittenSpentNano: spentNano, unwrittenHeldNano: heldNano } = counters;
    if (counters.isOpen && !counters.isStored) yield* insertPeriod(tx, { budgetId, periodFrom, spentNano, heldNano });
    else if (spentNano !== 0n || heldNano !== 0n) {
      yield* updatePeriod(tx, { budgetId, periodFrom, spentNano, heldNano });
    }
  }
}

const selectAny = one<{ organizationId: string }, { readonly id: number }>(`
  select id
    from budgets
   where organization_id = :organizationId
   limit 1`);

interface BudgetRow extends BudgetName, RaiseRow {
  readonly budgetId: number;
  readonly limitNano: string;
  /** Null: the period has no row. */
  readonly spentNano: string | null;
  readonly heldNano: string | null;
}

/** One select per scope: a single select with lists would look up every scope with every id. */
const SCOPES = [
  "b.scope = 'key' and b.scope_id = :keyId",
  "b.scope = 'member' and b.scope_id = :memberId",
  "b.scope in ('organization', 'organization-day', 'response') and b.scope_id = :organizationId",
];

/** A key without an owner passes its own id as member id, which matches no member. */
const selectBudgets = many<
  { organizationId: string; keyId: string; memberId: string; day: number; month: number },
  BudgetRow
>(
  SCOPES.map(
    (scope) => `
  select b.id                       as budgetId,
         b.scope,
         ${NAMED_ID}                as id,
         b.period,
         cast(b.limit_nano as text) as limitNano,
         cast(b.raise_nano as text) as raiseNano,
         b.raise_until_ms           as raiseUntilMs,
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

/** Opens a period. */
export const insertPeriod = write<{ budgetId: number; periodFrom: number; spentNano: bigint; heldNano: bigint }>(`
  insert into budget_periods (budget_id, period_from, spent_nano, held_nano)
  values (:budgetId, :periodFrom, :spentNano, :heldNano)`);

const updatePeriod = write<{ budgetId: number; periodFrom: number; spentNano: bigint; heldNano: bigint }>(`
  update budget_periods
     set spent_nano = spent_nano + :spentNano,
         held_nano  = held_nano + :heldNano
   where budget_id = :budgetId
     and period_from = :periodFrom`);

/** The columns of a raise. */
export interface RaiseRow {
  readonly raiseNano: string;
  readonly raiseUntilMs: number | null;
  /** Not read where only the amount counts. */
  readonly raisedByOperator?: number;
}

/** The raise that is in force at a time; null when there is none, or none any more. */
export function raiseAt({ raiseNano, raiseUntilMs, raisedByOperator }: RaiseRow, nowMs: number): BudgetRaise | null {
  const amountNano = BigInt(raiseNano);
  if (raiseUntilMs === null || raiseUntilMs <= nowMs || amountNano === 0n) return null;
  return { amountNano, untilMs: raiseUntilMs, ...(raisedByOperator === 1 ? { isOperators: true } : {}) };
}
