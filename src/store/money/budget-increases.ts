// Requests for more than a budget's limit: the holder of a key asks, an owner or admin grants or declines. Granted or
// not asked for, a raise lasts for a while.
import { DAY_MS } from "../../base/time.ts";
import type { BudgetScope } from "../../contract/money.ts";
import { billingDayOf, firstDayAfter, firstDayOf } from "../../core/money/billing-day.ts";
import { type BudgetName, describeBudget } from "../../core/money/budgets.ts";
import { creditsAsNumber, AMOUNT_NANO_MAX } from "../../core/money/credits.ts";
import { AccountError } from "../../ports/store/accounts.ts";
import type { Budget, BudgetIncrease, MoneyStore, BudgetRaise } from "../../ports/store/money.ts";
import { record } from "../accounts/audit.ts";
import { findLiveKey } from "../accounts/keys.ts";
import { plainProcedure } from "../engine/procedure.ts";
import { many, one, write } from "../engine/statement.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { emit } from "../events/feed.ts";
import { NAMED_ID } from "./budget-sums.ts";
import { beyondCeiling, limitsOf } from "./budget-limits.ts";
import { resolveName } from "./budget-names.ts";
import { findBudget, getBudget, setLimit } from "./budgets.ts";
import { lockBalance } from "./ledger.ts";
import { getOrganization } from "../accounts/organizations.ts";
import { raiseAt } from "./budget-counters.ts";

/** More are not shown at once. */
const LISTED_MAX = 500;

/** MoneyStore.requestIncrease. */
export const requestIncrease = plainProcedure(
  "write",
  function* (tx, request: Parameters<MoneyStore["requestIncrease"]>[0], nowMs): Steps<boolean> {
    const { id, caller, scope, period, amountNano } = request;
    const { organizationId, keyId } = caller;
    yield* lockBalance(tx, { organizationId });
    const key = yield* findLiveKey(tx, caller);
    if (key === undefined) return false;
    const name = { scope, id: namedIdOf(scope, { keyId, memberId: key.memberId }), period };
    const { budgetId } = yield* findBudget(tx, { organizationId, name }, nowMs);
    const today = billingDayOf(nowMs);
    const end = firstDayAfter(period, firstDayOf(period, today));
    // A later request replaces the one before.
    yield* deleteOfKey(tx, { budgetId, keyId });
    const untilMs = end === null ? null : end * DAY_MS;
    yield* insertIncrease(tx, { id, budgetId, keyId, amountNano, atMs: nowMs, untilMs });
    emit(
      {
        organizationId,
        atMs: nowMs,
        type: "budget.increase_requested",
        target: describeBudget(name),
        about: { kind: "key", id: keyId },
        data: { request: id, key: keyId, ...name, amount: creditsAsNumber(amountNano) },
        // A key that asks again and again is reported once a day.
        once: `increase ${budgetId} ${keyId} ${today}`,
      },
      tx,
    );
    return true;
  },
);

/** The id in the name of the budget of that scope in which a key's responses count. */
function namedIdOf(scope: BudgetScope, { keyId, memberId }: { keyId: string; memberId: string | null }): string | null {
  if (scope !== "member") return scope === "key" ? keyId : null;
  if (memberId === null) throw new AccountError("The key belongs to no member whose budget could be increased.");
  return memberId;
}

/** MoneyStore.listIncreases. */
export const listIncreases = plainProcedure("read", function* (tx, query: { organizationId: string }, nowMs): Steps<
  readonly BudgetIncrease[]
> {
  return (yield* selectOfOrganization(tx, { ...query, nowMs, limit: LISTED_MAX })).map(decode);
});

/** The open requests of a key. */
export function* listIncreasesOfKey(
  tx: Transaction,
  query: { organizationId: string; keyId: string },
  nowMs: number,
): Steps<readonly BudgetIncrease[]> {
  return (yield* selectOfKey(tx, { ...query, nowMs })).map(decode);
}

/** MoneyStore.grantIncrease. */
export const grantIncrease = plainProcedure(
  "write",
  function* (tx, grant: Parameters<MoneyStore["grantIncrease"]>[0], nowMs): Steps<Budget | null> {
    const { organizationId, id, amountNano, by, setBy = "organization" } = grant;
    const increase = yield* takeIncrease(tx, { organizationId, id, nowMs });
    if (increase === null) return null;
    const { budget: name, untilMs } = increase;
    const budget = yield* getBudget(tx, { organizationId, name }, nowMs);
    const { limitNano, raise, ceiling } = budget;
    if (untilMs === null) {
      const set = { organizationId, name, limitNano: limitNano + amountNano, by };
      const own = { ...set, setBy: "organization" } as const;
      if (setBy === "organization" || ceiling === undefined) return yield* setLimit(tx, own, nowMs);
      // The operator grants beyond both limits.
      const isBeyond = (eachNano: bigint | null) => eachNano !== null && eachNano < set.limitNano;
      const granted = isBeyond(ceiling.limitNano) ? yield* setLimit(tx, { ...set, setBy }, nowMs) : budget;
      return isBeyond(ceiling.ownNano) ? yield* setLimit(tx, own, nowMs) : granted;
    }
    // A budget has one raise: the sum of two lasts neither as long as the one nor as the other.
    if (raise !== undefined && raise.untilMs !== untilMs)
      throw new AccountError(
        "The budget has a raise that ends at another time: end it first, or set one raise for both and decline this request.",
      );
    const raised = { amountNano: amountNano + (raise?.amountNano ?? 0n), untilMs };
    return yield* setRaise(tx, { organizationId, name, raise: raised, by, setBy }, nowMs);
  },
);

/** MoneyStore.declineIncrease. */
export const declineIncrease = plainProcedure(
  "write",
  function* (tx, decline: Parameters<MoneyStore["declineIncrease"]>[0], nowMs): Steps<BudgetIncrease | null> {
    const { organizationId, id, by } = decline;
    const increase = yield* takeIncrease(tx, { organizationId, id, nowMs });
    if (increase === null) return null;
    yield* record(tx, {
      by,
      atMs: nowMs,
      organizationId,
      action: "budget.decline",
      target: describeBudget(increase.budget),
      before: { key: increase.keyId, amount: creditsAsNumber(increase.amountNano) },
    });
    return increase;
  },
);

/** Removes an open request and returns it; null: there is none any more. */
function* takeIncrease(
  tx: Transaction,
  query: { organizationId: string; id: string; nowMs: number },
): Steps<BudgetIncrease | null> {
  yield* lockBalance(tx, { organizationId: query.organizationId });
  const row = yield* selectIncrease(tx, query);
  if (row === undefined) return null;
  yield* deleteIncrease(tx, { id: row.id });
  return decode(row);
}

type Row = Omit<BudgetIncrease, "budget" | "amountNano"> &
  Omit<BudgetName, "id"> & { readonly namedId: string | null; readonly amountNano: string };

function decode({ scope, namedId, period, amountNano, ...row }: Row): BudgetIncrease {
  return { ...row, budget: { scope, id: namedId, period }, amountNano: BigInt(amountNano) };
}

/** A request ends with the period that it was made in, and with its key. */
const OPEN = `
  select i.id,
         i.key_id                    as keyId,
         k.name                      as keyName,
         b.scope,
         ${NAMED_ID}                 as namedId,
         b.period,
         cast(i.amount_nano as text) as amountNano,
         i.at_ms                     as atMs,
         i.until_ms                  as untilMs
    from budgets b
    join budget_increases i on i.budget_id = b.id
    join api_keys k on k.id = i.key_id
   where b.organization_id = :organizationId
     and k.revoked_at is null
     and (i.until_ms is null or i.until_ms > :nowMs)`;

const selectOfOrganization = many<{ organizationId: string; nowMs: number; limit: number }, Row>(`${OPEN}
   order by i.at_ms desc, i.id desc
   limit +:limit`);

const selectOfKey = many<{ organizationId: string; keyId: string; nowMs: number }, Row>(`${OPEN}
     and i.key_id = :keyId`);

const selectIncrease = one<{ organizationId: string; id: string; nowMs: number }, Row>(`${OPEN}
     and i.id = :id`);

const insertIncrease = write<Omit<BudgetIncrease, "keyName" | "budget"> & { budgetId: number }>(`
  insert into budget_increases (id, budget_id, key_id, amount_nano, at_ms, until_ms)
  values (:id, :budgetId, :keyId, :amountNano, :atMs, :untilMs)`);

const deleteIncrease = write<{ id: string }>(`
  delete from budget_increases where id = :id`);

const deleteOfKey = write<{ budgetId: number; keyId: string }>(`
  delete from budget_increases
   where budget_id = :budgetId
     and key_id = :keyId`);

/** Longest raise: 366 days. */
const RAISE_MS_MAX = 366 * DAY_MS;

/** MoneyStore.raiseBudget. */
export const raiseBudget = plainProcedure("write", setRaise);

/**
 * Raises a budget in an open transaction. Throws an AccountError for an amount or a time out of range, and when there
 * is no such budget; a CeilingError for a raise by the organization beyond the operator's limit.
 */
export function* setRaise(
  tx: Transaction,
  update: Parameters<MoneyStore["raiseBudget"]>[0],
  nowMs: number,
): Steps<Budget> {
  const { organizationId, by, raise, setBy = "organization" } = update;
  const { amountNano, untilMs } = raise;
  if (amountNano < 0n || amountNano > AMOUNT_NANO_MAX) {
    throw new AccountError("A budget is raised by 0 to a billion credits.");
  }
  if (amountNano > 0n && (untilMs <= nowMs || untilMs > nowMs + RAISE_MS_MAX)) {
    throw new AccountError("A budget is raised until a time within the next 366 days.");
  }
  yield* getOrganization(tx, organizationId);
  // Responses read their budgets under this lock.
  yield* lockBalance(tx, { organizationId });
  const budget = { organizationId, name: yield* resolveName(tx, update) };
  const row = yield* findBudget(tx, budget, nowMs);
  const before = raiseAt(row, nowMs);
  const isShorter = before !== null && amountNano <= before.amountNano && untilMs <= before.untilMs;
  const { operator: ceilingNano } = limitsOf(row);
  const isBeyond = ceilingNano !== null && BigInt(row.limitNano) + amountNano > ceilingNano;
  if (setBy === "organization" && amountNano > 0n && !isShorter && isBeyond) throw beyondCeiling(ceilingNano);
  yield* updateRaise(tx, {
    budgetId: row.budgetId,
    amountNano,
    untilMs: amountNano === 0n ? null : untilMs,
    byOperator: Number(setBy === "operator" || (before?.isOperators === true && isShorter)),
  });
  const after = yield* getBudget(tx, budget, nowMs);
  yield* record(tx, {
    by,
    atMs: nowMs,
    organizationId,
    action: "budget.raise",
    target: describeBudget(budget.name),
    before: { raise: showRaise(before) },
    after: { raise: showRaise(after.raise ?? null) },
    setBy,
  });
  return after;
}

function showRaise(raise: BudgetRaise | null): { amount: number; until: number } | null {
  return raise === null ? null : { amount: creditsAsNumber(raise.amountNano), until: Math.floor(raise.untilMs / 1000) };
}

const updateRaise = write<{ budgetId: number; amountNano: bigint; untilMs: number | null; byOperator: number }>(`
  update budgets
     set raise_nano         = :amountNano,
         raise_until_ms     = :untilMs,
         raised_by_operator = :byOperator
   where id = :budgetId`);
