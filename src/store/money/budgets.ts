// Budgets: set, cleared, listed. budget-counters.ts has the counters that responses change.
import { BUDGETS_MAX } from "../../contract/manage/limits.ts";
import { BUDGET_SCOPES, type BudgetPeriod, type BudgetScope } from "../../contract/money.ts";
import { billingDayOf, firstDayOf } from "../../core/money/billing-day.ts";
import { type BudgetName, describeBudget, limitNow } from "../../core/money/budgets.ts";
import { AMOUNT_NANO_MAX, creditsAsNumber } from "../../core/money/credits.ts";
import { definedOf } from "../../base/defined.ts";
import { AccountError, type RuleSetter } from "../../ports/store/accounts.ts";
import type { Actor } from "../../ports/store/audit.ts";
import type { Budget, MoneyStore, SpentBefore } from "../../ports/store/money.ts";
import { record } from "../accounts/audit.ts";
import { emitBudgetShare } from "../events/spending.ts";
import { type RaiseRow, raiseAt } from "./budget-counters.ts";
import {
  beyondCeiling,
  type BudgetLimits,
  isFromBefore,
  type LimitsRow,
  limitsOf,
  lowerOf,
  updateLimits,
} from "./budget-limits.ts";
import { type NamedBudget, resolveName } from "./budget-names.ts";
import { openPeriods } from "./budget-start.ts";
import { NAMED_ID } from "./budget-sums.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { plainProcedure } from "../engine/procedure.ts";
import { lockBalance } from "./ledger.ts";
import { getOrganization } from "../accounts/organizations.ts";
import { insert, many, one, write } from "../engine/statement.ts";

type BudgetSetting = Parameters<MoneyStore["setBudget"]>[0];

const NOTHING_SUMMED: SpentBefore = { hour: 0, periods: [] };

/** MoneyStore.setBudget. */
export const setBudget = plainProcedure("write", setLimit);

/**
 * Sets a limit in an open transaction. Throws an AccountError for an amount out of range, and for a member or key that
 * the organization does not have, or a revoked key; a CeilingError for a limit of the organization above the operator's.
 */
export function* setLimit(tx: Transaction, set: BudgetSetting, nowMs: number): Steps<Budget> {
  const { organizationId, name, limitNano, spentBefore = NOTHING_SUMMED, by, setBy = "organization" } = set;
  if (limitNano < 0n || limitNano > AMOUNT_NANO_MAX) {
    throw new AccountError("A budget's limit must be between 0 and a billion credits.");
  }
  yield* getOrganization(tx, organizationId);
  yield* lockBalance(tx, { organizationId });
  const budget = { organizationId, name: yield* resolveName(tx, { organizationId, name }) };
  const before = yield* selectBudget(tx, parametersOf(budget, nowMs));
  const limit = creditsAsNumber(limitNano);
  const present = limitsOf(before);
  if (setBy === "organization" && present.operator !== null && limitNano > present.operator) {
    throw beyondCeiling(present.operator);
  }
  const limits: BudgetLimits = { ...present, [setBy]: limitNano };
  if (before === undefined) yield* createBudget(tx, { ...budget, limits, before: spentBefore }, nowMs);
  else yield* updateLimits(tx, before, limits, nowMs);
  const replaced = before && (present[setBy] ?? (isFromBefore(before) ? BigInt(before.limitNano) : null));
  yield* record(tx, {
    by,
    atMs: nowMs,
    organizationId,
    action: "budget.set",
    target: describeBudget(budget.name),
    ...(replaced === undefined
      ? { after: { ...budget.name, limit } }
      : { before: { limit: replaced === null ? null : creditsAsNumber(replaced) }, after: { limit } }),
    setBy,
  });
  const after = yield* getBudget(tx, budget, nowMs);
  emitIfSpent(organizationId, after, nowMs, tx);
  return after;
}

/** A budget that is set to no more than what is spent is used up at once. */
function emitIfSpent(organizationId: string, budget: Budget, nowMs: number, tx: Transaction): void {
  const { spentNano } = budget;
  const limitNano = limitNow(budget);
  if (spentNano === 0n || spentNano < limitNano) return;
  const periodFrom = firstDayOf(budget.period, billingDayOf(nowMs));
  const charged = { limitNano, beforeNano: 0n, afterNano: spentNano };
  emitBudgetShare({ organizationId, name: nameOf(budget), periodFrom, ...charged }, nowMs, tx);
}

/** MoneyStore.clearBudget. */
export const clearBudget = plainProcedure(
  "write",
  function* (tx, clear: Parameters<MoneyStore["clearBudget"]>[0], nowMs: number): Steps<Budget> {
    const { organizationId, by, setBy = "organization" } = clear;
    yield* getOrganization(tx, organizationId);
    yield* lockBalance(tx, { organizationId });
    const name = yield* resolveName(tx, clear, "revoked keys too");
    const row = yield* findBudget(tx, { organizationId, name }, nowMs);
    const limits = limitsOf(row);
    const own = limits[setBy];
    if (own === null && setBy === "organization" && limits.operator !== null) throw beyondCeiling(limits.operator);
    const other = setBy === "operator" ? limits.organization : limits.operator;
    if (own === null || other === null) {
      yield* clearAndRecord(tx, { organizationId, row, by, setBy, nowMs });
      return decodeBudget(row, nowMs);
    }
    yield* updateLimits(tx, row, { ...limits, [setBy]: null }, nowMs);
    const [before, after] = [{ limit: creditsAsNumber(own) }, { limit: null }];
    const target = describeBudget(name);
    yield* record(tx, { by, atMs: nowMs, organizationId, action: "budget.clear", target, before, after, setBy });
    return yield* getBudget(tx, { organizationId, name }, nowMs);
  },
);

/** MoneyStore.listBudgets. */
export const listBudgets = plainProcedure(
  "read",
  function* (tx, query: { organizationId: string }, nowMs: number): Steps<readonly Budget[]> {
    const place = (scope: BudgetScope) => BUDGET_SCOPES.indexOf(scope);
    return (yield* selectBudgets(tx, { ...query, ...periodsOf(nowMs) }))
      .map((row) => decodeBudget(row, nowMs))
      .sort((left, right) => place(left.scope) - place(right.scope));
  },
);

/** Deletes the budgets of a removed member: no name would refer to them any more. The caller has locked the balance. */
export function* clearBudgetsOfMember(
  tx: Transaction,
  { organizationId, memberId, by, nowMs }: { organizationId: string; memberId: string; by: Actor; nowMs: number },
): Steps<void> {
  for (const row of yield* selectBudgetsOfMember(tx, { organizationId, memberId, ...periodsOf(nowMs) })) {
    yield* clearAndRecord(tx, { organizationId, row, by, nowMs });
  }
}

/** The row of a budget; throws an AccountError when there is no such budget. */
export function* findBudget(tx: Transaction, budget: NamedBudget, nowMs: number): Steps<BudgetRow> {
  const found = yield* selectBudget(tx, parametersOf(budget, nowMs));
  if (found !== undefined) return found;
  throw new AccountError(`There is no budget ${describeBudget(budget.name)} in this organization.`);
}

/** A budget with the counters of its current period; throws an AccountError when there is no such budget. */
export function* getBudget(tx: Transaction, budget: NamedBudget, nowMs: number): Steps<Budget> {
  return decodeBudget(yield* findBudget(tx, budget, nowMs), nowMs);
}

/** Stores a new budget, which begins with what it has already spent and holds. */
function* createBudget(
  tx: Transaction,
  { organizationId, name, limits, before }: NamedBudget & { limits: BudgetLimits; before: SpentBefore },
  nowMs: number,
): Steps<void> {
  const { scope, id, period } = name;
  if (((yield* countBudgets(tx, { organizationId }))?.budgets ?? 0) >= BUDGETS_MAX) {
    throw new AccountError(`An organization has at most ${BUDGETS_MAX} budgets: clear those that nobody needs.`);
  }
  const { id: budgetId } = yield* insertBudget(tx, {
    organizationId,
    scope,
    scopeId: id ?? organizationId,
    period,
    limitNano: lowerOf(limits),
    ceilingNano: limits.operator,
    ownNano: limits.organization,
  });
  if (scope === "response") return;
  yield* openPeriods(tx, { organizationId, scope, id }, { budgetId, before, period, nowMs });
}

function* clearAndRecord(
  tx: Transaction,
  cleared: { organizationId: string; row: BudgetRow; by: Actor; setBy?: RuleSetter; nowMs: number },
): Steps<void> {
  const { organizationId, row, by, setBy, nowMs } = cleared;
  const name = nameOf(row);
  yield* deleteBudget(tx, row);
  const before = { ...name, limit: creditsAsNumber(BigInt(row.limitNano)) };
  const target = describeBudget(name);
  yield* record(tx, {
    by,
    atMs: nowMs,
    organizationId,
    action: "budget.clear",
    target,
    before,
    ...definedOf({ setBy }),
  });
}

function nameOf({ scope, id, period }: BudgetName): BudgetName {
  return { scope, id, period };
}

/** The first days of the current periods. */
function periodsOf(nowMs: number): { today: number; month: number } {
  const today = billingDayOf(nowMs);
  return { today, month: firstDayOf("month", today) };
}

function parametersOf({ organizationId, name: { scope, id, period } }: NamedBudget, nowMs: number) {
  return { organizationId, scope, scopeId: id ?? organizationId, period, ...periodsOf(nowMs) };
}

function decodeBudget(row: BudgetRow, nowMs: number): Budget {
  const raise = raiseAt(row, nowMs);
  const { operator, organization } = limitsOf(row);
  return {
    ...nameOf(row),
    limitNano: BigInt(row.limitNano),
    ...(operator === null ? {} : { ceiling: { limitNano: operator, ownNano: organization } }),
    ...(raise === null ? {} : { raise }),
    spentNano: BigInt(row.spentNano),
    heldNano: BigInt(row.heldNano),
  };
}

interface BudgetRow extends BudgetName, RaiseRow, LimitsRow {
  readonly budgetId: number;
  readonly limitNano: string;
  readonly spentNano: string;
  readonly heldNano: string;
}

const CURRENT = `
  select b.id                                       as budgetId,
         b.scope,
         ${NAMED_ID}                                as id,
         b.period,
         cast(b.limit_nano as text)                 as limitNano,
         cast(b.ceiling_nano as text)               as ceilingNano,
         cast(b.own_limit_nano as text)             as ownNano,
         b.raised_by_operator                       as raisedByOperator,
         cast(b.raise_nano as text)                 as raiseNano,
         b.raise_until_ms                           as raiseUntilMs,
         cast(coalesce(p.spent_nano, 0) as text)    as spentNano,
         cast(coalesce(p.held_nano, 0) as text)     as heldNano
    from budgets b
    left join budget_periods p
      on p.budget_id = b.id
     and p.period_from = case b.period when 'day' then :today when 'month' then :month else 0 end
   where b.organization_id = :organizationId`;

const selectBudgets = many<{ organizationId: string; today: number; month: number }, BudgetRow>(`${CURRENT}
   order by b.id`);

const selectBudgetsOfMember = many<
  { organizationId: string; memberId: string; today: number; month: number },
  BudgetRow
>(`${CURRENT}
     and b.scope = 'member'
     and b.scope_id = :memberId
   order by b.id`);

const countBudgets = one<{ organizationId: string }, { budgets: number }>(`
  select count(*) as budgets
    from budgets
   where organization_id = :organizationId`);

const selectBudget = one<ReturnType<typeof parametersOf>, BudgetRow>(`${CURRENT}
     and b.scope = :scope
     and b.scope_id = :scopeId
     and b.period = :period`);

const insertBudget = insert<{
  organizationId: string;
  scope: BudgetScope;
  scopeId: string;
  period: BudgetPeriod;
  limitNano: bigint;
  ceilingNano: bigint | null;
  ownNano: bigint | null;
}>(`
  insert into budgets (organization_id, scope, scope_id, period, limit_nano, ceiling_nano, own_limit_nano)
  values (:organizationId, :scope, :scopeId, :period, :limitNano, :ceilingNano, :ownNano)`);

const deleteBudget = write<{ budgetId: number }>(`
  delete from budgets where id = :budgetId`);
