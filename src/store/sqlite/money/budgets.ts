// Budgets: set, cleared, listed. What turns do to their counters: budget-counters.ts.
import { BUDGET_SCOPES, type BudgetPeriod, type BudgetScope } from "../../../contract/spending.ts";
import { billingDayOf, firstDayOf } from "../../../core/accounts/billing-day.ts";
import type { BudgetName } from "../../../core/accounts/budgets.ts";
import { AMOUNT_NANO_MAX, creditsAsNumber } from "../../../core/accounts/credits.ts";
import { AccountError } from "../../../ports/accounts.ts";
import type { Actor } from "../../../ports/audit.ts";
import type { Budget } from "../../../ports/spending.ts";
import { record } from "../accounts/audit.ts";
import { type Counted, daysOf, listHeld, sumHeld, sumSpent } from "./budget-sums.ts";
import type { Connection } from "../database/connection.ts";
import { plain } from "../database/operation.ts";
import { needOrganization } from "../accounts/organizations.ts";
import { change, many, one } from "../database/statement.ts";

/** SpendingStore.setBudget. */
export const setBudget = plain(
  "write",
  (
    connection,
    set: { organizationId: string; name: BudgetName; limitNano: bigint; by: Actor },
    nowMs: number,
  ): Budget => {
    const { organizationId, name, limitNano, by } = set;
    if (limitNano < 0n || limitNano > AMOUNT_NANO_MAX) {
      throw new AccountError("The limit of a budget is 0 or more, a billion credits at most.");
    }
    needOrganization(connection, organizationId);
    const key = keyOf(connection, organizationId, name);
    const before = selectBudget(connection, key);
    if (before === undefined) {
      const { id } = insertBudget(connection, { ...key, limitNano });
      if (key.scope !== "response") countWhatWas(connection, { ...key, budgetId: id }, billingDayOf(nowMs));
    } else updateLimit(connection, { id: before.id, limitNano });
    record(connection, {
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
    return showCurrent(connection, key, nowMs);
  },
);

/** SpendingStore.clearBudget. */
export const clearBudget = plain(
  "write",
  (connection, clear: { organizationId: string; name: BudgetName; by: Actor }, nowMs: number): Budget => {
    const { organizationId, name, by } = clear;
    needOrganization(connection, organizationId);
    const key = keyOf(connection, organizationId, name, "revoked keys too");
    if (selectBudget(connection, key) === undefined) {
      throw new AccountError(`There is no budget ${targetOf(key)} in this organization.`);
    }
    const cleared = showCurrent(connection, key, nowMs);
    clearOne(connection, { key, limitNano: cleared.limitNano, by, nowMs });
    return cleared;
  },
);

/** SpendingStore.listBudgets. */
export const listBudgets = plain(
  "read",
  (connection, query: { organizationId: string }, nowMs: number): readonly Budget[] => {
    const place = (scope: BudgetScope) => BUDGET_SCOPES.indexOf(scope);
    return selectCurrent(connection, { ...query, ...periodsOf(nowMs) })
      .map(decodeBudget)
      .sort((left, right) => place(left.scope) - place(right.scope));
  },
);

/** Takes away the budgets of a member who goes: nobody could name them any more. */
export function clearBudgetsOfMember(
  connection: Connection,
  { organizationId, memberId, by, nowMs }: { organizationId: string; memberId: string; by: Actor; nowMs: number },
): void {
  for (const { period, limitNano } of selectOfMember(connection, { organizationId, memberId })) {
    const key: BudgetKey = { organizationId, scope: "member", scopeId: memberId, period };
    clearOne(connection, { key, limitNano: BigInt(limitNano), by, nowMs });
  }
}

/** What is unique to a budget. */
interface BudgetKey extends Counted {
  readonly period: BudgetPeriod;
}

/** The budget that a name means; throws an AccountError when the organization has no such member or key. */
function keyOf(
  connection: Connection,
  organizationId: string,
  { scope, id, period }: BudgetName,
  revoked: "no revoked keys" | "revoked keys too" = "no revoked keys",
): BudgetKey {
  if (scope !== "member" && scope !== "key") return { organizationId, scope, scopeId: organizationId, period };
  const named = { organizationId, id: id ?? "" };
  const found = scope === "member" ? selectMember(connection, named) : selectKey(connection, named);
  if (found === undefined) throw new AccountError(`The organization has no ${scope} ${id}.`);
  if (found.revokedAt !== null && revoked === "no revoked keys") {
    throw new AccountError(`The key ${id} has been revoked: it can spend nothing.`);
  }
  return { organizationId, scope, scopeId: found.id, period };
}

/**
 * Makes the periods of a new budget and counts what they have seen: those of today, of yesterday (a turn that begins at midnight may
 * be written after this) and of every turn that runs. Every later period is then whole from its first turn on.
 */
function countWhatWas(connection: Connection, key: BudgetKey & { budgetId: number }, today: number): void {
  const held = listHeld(connection, key.organizationId);
  const seen = [today, today - 1, ...held.map(({ day }) => day)];
  const periods = new Set(seen.map((day) => firstDayOf(key.period, day)));
  for (const periodFrom of periods) {
    const days = daysOf(key.period, periodFrom);
    insertPeriod(connection, {
      budgetId: key.budgetId,
      periodFrom,
      spentNano: sumSpent(connection, key, days),
      heldNano: sumHeld(held, key, days),
    });
  }
}

function clearOne(
  connection: Connection,
  { key, limitNano, by, nowMs }: { key: BudgetKey; limitNano: bigint; by: Actor; nowMs: number },
): void {
  const { organizationId } = key;
  deleteBudget(connection, key);
  const before = { ...nameOf(key), limit: creditsAsNumber(limitNano) };
  record(connection, { by, atMs: nowMs, organizationId, action: "budget.clear", target: targetOf(key), before });
}

/** A budget as the audit log names it: `key key_1 month`, `organization-day`. */
function targetOf(key: BudgetKey): string {
  const { scope, id, period } = nameOf(key);
  if (scope === "organization-day" || scope === "response") return scope;
  return id === null ? `${scope} ${period}` : `${scope} ${id} ${period}`;
}

function nameOf({ scope, scopeId, period }: Omit<BudgetKey, "organizationId">): BudgetName {
  return { scope, id: scope === "member" || scope === "key" ? scopeId : null, period };
}

function showCurrent(connection: Connection, key: BudgetKey, nowMs: number): Budget {
  const row = selectCurrentOne(connection, { ...key, ...periodsOf(nowMs) });
  if (row === undefined) throw new Error("A budget is gone in the midst of a transaction.");
  return decodeBudget(row);
}

/** The first days of the periods that are current. */
function periodsOf(nowMs: number): { today: number; month: number } {
  const today = billingDayOf(nowMs);
  return { today, month: firstDayOf("month", today) };
}

function decodeBudget(row: CurrentRow): Budget {
  return {
    ...nameOf(row),
    limitNano: BigInt(row.limitNano),
    spentNano: BigInt(row.spentNano),
    heldNano: BigInt(row.heldNano),
  };
}

interface CurrentRow {
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

const insertBudget = change<BudgetKey & { limitNano: bigint }>(`
  insert into budgets (organization_id, scope, scope_id, period, limit_nano)
  values (:organizationId, :scope, :scopeId, :period, :limitNano)`);

const updateLimit = change<{ id: number; limitNano: bigint }>(`
  update budgets set limit_nano = :limitNano where id = :id`);

const deleteBudget = change<BudgetKey>(`
  delete from budgets
   where organization_id = :organizationId
     and scope = :scope
     and scope_id = :scopeId
     and period = :period`);

const insertPeriod = change<{ budgetId: number; periodFrom: number; spentNano: bigint; heldNano: bigint }>(`
  insert into budget_periods (budget_id, period_from, spent_nano, held_nano)
  values (:budgetId, :periodFrom, :spentNano, :heldNano)`);
