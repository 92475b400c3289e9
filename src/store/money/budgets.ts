// Budgets: set, cleared, listed. budget-counters.ts has the counters that turns change.
import { BUDGET_SCOPES, type BudgetPeriod, type BudgetScope } from "../../contract/money.ts";
import { billingDayOf, firstDayOf } from "../../core/money/billing-day.ts";
import { type BudgetName, describeBudget } from "../../core/money/budgets.ts";
import { AMOUNT_NANO_MAX, creditsAsNumber } from "../../core/money/credits.ts";
import { AccountError } from "../../ports/store/accounts.ts";
import type { Actor } from "../../ports/store/audit.ts";
import type { Budget, MoneyStore } from "../../ports/store/money.ts";
import { record } from "../accounts/audit.ts";
import { insertPeriod } from "./budget-counters.ts";
import { type Counted, daysOf, listHeld, sumHeld, sumSpent } from "./budget-sums.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { plainOperation } from "../engine/operation.ts";
import { type RaiseRow, raiseAt } from "./raised-limit.ts";
import { lockBalance } from "./ledger.ts";
import { getOrganization } from "../accounts/organizations.ts";
import { insert, many, one, write } from "../engine/statement.ts";

type BudgetSetting = Parameters<MoneyStore["setBudget"]>[0];

/** MoneyStore.setBudget. */
export const setBudget = plainOperation("write", setLimit);

/**
 * Sets a limit in an open transaction. Throws an AccountError for an amount out of range, and for a member or key that
 * the organization does not have, or a revoked key.
 */
export function* setLimit(tx: Transaction, set: BudgetSetting, nowMs: number): Steps<Budget> {
  const { organizationId, name, limitNano, by } = set;
  if (limitNano < 0n || limitNano > AMOUNT_NANO_MAX) {
    throw new AccountError("A budget's limit must be between 0 and a billion credits.");
  }
  yield* getOrganization(tx, organizationId);
  yield* lockBalance(tx, { organizationId });
  const key = yield* resolveBudget(tx, organizationId, name);
  const before = yield* selectBudget(tx, key);
  if (before === undefined) {
    const { id } = yield* insertBudget(tx, { ...key, limitNano });
    if (key.scope !== "response") yield* openInitialPeriods(tx, { ...key, budgetId: id }, billingDayOf(nowMs));
  } else yield* updateLimit(tx, { id: before.id, limitNano });
  yield* record(tx, {
    by,
    atMs: nowMs,
    organizationId,
    action: "budget.set",
    target: targetOf(key),
    ...(before === undefined
      ? { after: { ...nameOf(key), limit: creditsAsNumber(limitNano) } }
      : {
          before: { limit: creditsAsNumber(BigInt(before.limitNano)) },
          after: { limit: creditsAsNumber(limitNano) },
        }),
  });
  return yield* getCurrent(tx, key, nowMs);
}

/** MoneyStore.clearBudget. */
export const clearBudget = plainOperation(
  "write",
  function* (tx, clear: { organizationId: string; name: BudgetName; by: Actor }, nowMs: number): Steps<Budget> {
    const { organizationId, name, by } = clear;
    yield* getOrganization(tx, organizationId);
    yield* lockBalance(tx, { organizationId });
    const key = yield* resolveBudget(tx, organizationId, name, "revoked keys too");
    yield* findBudget(tx, key);
    const cleared = yield* getCurrent(tx, key, nowMs);
    yield* clearAndRecord(tx, { key, limitNano: cleared.limitNano, by, nowMs });
    return cleared;
  },
);

/** MoneyStore.listBudgets. */
export const listBudgets = plainOperation(
  "read",
  function* (tx, query: { organizationId: string }, nowMs: number): Steps<readonly Budget[]> {
    const place = (scope: BudgetScope) => BUDGET_SCOPES.indexOf(scope);
    return (yield* selectCurrent(tx, { ...query, ...periodsOf(nowMs) }))
      .map((row) => decodeBudget(row, nowMs))
      .sort((left, right) => place(left.scope) - place(right.scope));
  },
);

/** Deletes the budgets of a removed member: no name would refer to them any more. The caller has locked the balance. */
export function* clearBudgetsOfMember(
  tx: Transaction,
  { organizationId, memberId, by, nowMs }: { organizationId: string; memberId: string; by: Actor; nowMs: number },
): Steps<void> {
  for (const { period, limitNano } of yield* selectOfMember(tx, { organizationId, memberId })) {
    const key: BudgetKey = { organizationId, scope: "member", scopeId: memberId, period };
    yield* clearAndRecord(tx, { key, limitNano: BigInt(limitNano), by, nowMs });
  }
}

/** The budget's row; throws an AccountError when there is no such budget. */
export function* findBudget(tx: Transaction, key: BudgetKey): Steps<{ id: number }> {
  const found = yield* selectBudget(tx, key);
  if (found !== undefined) return found;
  throw new AccountError(`There is no budget ${targetOf(key)} in this organization.`);
}

/** The unique key of a budget. */
export interface BudgetKey extends Counted {
  readonly period: BudgetPeriod;
}

/** The budget that a name refers to; throws an AccountError when the organization has no such member or key. */
export function* resolveBudget(
  tx: Transaction,
  organizationId: string,
  { scope, id, period }: BudgetName,
  revoked: "no revoked keys" | "revoked keys too" = "no revoked keys",
): Steps<BudgetKey> {
  if (scope !== "member" && scope !== "key") return { organizationId, scope, scopeId: organizationId, period };
  const named = { organizationId, id: id ?? "" };
  const found = scope === "member" ? yield* selectMember(tx, named) : yield* selectKey(tx, named);
  if (found === undefined) throw new AccountError(`The organization has no ${scope} ${id}.`);
  if (found.revokedAt !== null && revoked === "no revoked keys") {
    throw new AccountError(`The key ${id} has been revoked and cannot have a budget.`);
  }
  return { organizationId, scope, scopeId: found.id, period };
}

/**
 * Opens the first periods of a new budget and counts what they have seen: those of yesterday (a turn that begins at
 * midnight may be stored after this) or of the earliest running turn, up to today without a gap. Every later period
 * counts from its first turn.
 */
function* openInitialPeriods(tx: Transaction, key: BudgetKey & { budgetId: number }, today: number): Steps<void> {
  const held = yield* listHeld(tx, key.organizationId);
  const periods = new Set<number>();
  for (let day = Math.min(today - 1, ...held.map((each) => each.day)); day <= today; day++) {
    periods.add(firstDayOf(key.period, day));
  }
  for (const periodFrom of periods) {
    const days = daysOf(key.period, periodFrom);
    yield* insertPeriod(tx, {
      budgetId: key.budgetId,
      periodFrom,
      spentNano: yield* sumSpent(tx, key, days),
      heldNano: sumHeld(held, key, days),
    });
  }
}

function* clearAndRecord(
  tx: Transaction,
  { key, limitNano, by, nowMs }: { key: BudgetKey; limitNano: bigint; by: Actor; nowMs: number },
): Steps<void> {
  const { organizationId } = key;
  yield* deleteBudget(tx, key);
  const before = { ...nameOf(key), limit: creditsAsNumber(limitNano) };
  yield* record(tx, { by, atMs: nowMs, organizationId, action: "budget.clear", target: targetOf(key), before });
}

/** A budget's name in the audit log. */
export function targetOf(key: BudgetKey): string {
  return describeBudget(nameOf(key));
}

/** A budget's name, of its unique key. */
export function nameOf({ scope, scopeId, period }: Omit<BudgetKey, "organizationId">): BudgetName {
  return { scope, id: scope === "member" || scope === "key" ? scopeId : null, period };
}

/** A budget with the counters of its current period. */
export function* getCurrent(tx: Transaction, key: BudgetKey, nowMs: number): Steps<Budget> {
  const row = yield* selectCurrentOne(tx, { ...key, ...periodsOf(nowMs) });
  if (row === undefined) throw new Error("A budget disappeared within a transaction.");
  return decodeBudget(row, nowMs);
}

/** The first days of the current periods. */
function periodsOf(nowMs: number): { today: number; month: number } {
  const today = billingDayOf(nowMs);
  return { today, month: firstDayOf("month", today) };
}

function decodeBudget(row: CurrentRow, nowMs: number): Budget {
  const raise = raiseAt(row, nowMs);
  return {
    ...nameOf(row),
    limitNano: BigInt(row.limitNano),
    ...(raise === null ? {} : { raise }),
    spentNano: BigInt(row.spentNano),
    heldNano: BigInt(row.heldNano),
  };
}

interface CurrentRow extends RaiseRow {
  readonly scope: BudgetScope;
  readonly scopeId: string;
  readonly period: BudgetPeriod;
  readonly limitNano: string;
  readonly spentNano: string;
  readonly heldNano: string;
}

const CURRENT = `
  select b.scope,
         b.scope_id                                 as scopeId,
         b.period,
         cast(b.limit_nano as text)                 as limitNano,
         cast(b.raise_nano as text)                 as raiseNano,
         b.raise_until_ms                           as raiseUntilMs,
         cast(coalesce(p.spent_nano, 0) as text)    as spentNano,
         cast(coalesce(p.held_nano, 0) as text)     as heldNano
    from budgets b
    left join budget_periods p
      on p.budget_id = b.id
     and p.period_from = case b.period when 'day' then :today when 'month' then :month else 0 end
   where b.organization_id = :organizationId`;

const selectCurrent = many<{ organizationId: string; today: number; month: number }, CurrentRow>(`${CURRENT}
   order by b.id`);

const selectCurrentOne = one<BudgetKey & { today: number; month: number }, CurrentRow>(`${CURRENT}
     and b.scope = :scope
     and b.scope_id = :scopeId
     and b.period = :period`);

const selectBudget = one<BudgetKey, { id: number; limitNano: string }>(`
  select id, cast(limit_nano as text) as limitNano
    from budgets
   where organization_id = :organizationId
     and scope = :scope
     and scope_id = :scopeId
     and period = :period`);

const selectOfMember = many<{ organizationId: string; memberId: string }, { period: BudgetPeriod; limitNano: string }>(`
  select period, cast(limit_nano as text) as limitNano
    from budgets
   where organization_id = :organizationId
     and scope = 'member'
     and scope_id = :memberId`);

const selectMember = one<{ organizationId: string; id: string }, { id: string; revokedAt: null }>(`
  select id, null as revokedAt
    from members
   where organization_id = :organizationId
     and (id = :id or email = :id collate nocase)
   order by id = :id desc
   limit 1`);

const selectKey = one<{ organizationId: string; id: string }, { id: string; revokedAt: number | null }>(`
  select id, revoked_at as revokedAt
    from api_keys
   where id = :id
     and organization_id = :organizationId`);

const insertBudget = insert<BudgetKey & { limitNano: bigint }>(`
  insert into budgets (organization_id, scope, scope_id, period, limit_nano)
  values (:organizationId, :scope, :scopeId, :period, :limitNano)`);

const updateLimit = write<{ id: number; limitNano: bigint }>(`
  update budgets set limit_nano = :limitNano where id = :id`);

const deleteBudget = write<BudgetKey>(`
  delete from budgets
   where organization_id = :organizationId
     and scope = :scope
     and scope_id = :scopeId
     and period = :period`);
