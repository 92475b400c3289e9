// Budgets raised for a while. raised-limit.ts has what a raise means, budget-counters.ts where turns meet it.
import { AMOUNT_NANO_MAX, creditsAsNumber } from "../../core/money/credits.ts";
import { AccountError } from "../../ports/store/accounts.ts";
import type { Budget, MoneyStore } from "../../ports/store/money.ts";
import { record } from "../accounts/audit.ts";
import { getOrganization } from "../accounts/organizations.ts";
import { plainOperation } from "../engine/operation.ts";
import { write } from "../engine/statement.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { type BudgetKey, findBudget, getCurrent, resolveBudget, targetOf } from "./budgets.ts";
import { lockBalance } from "./ledger.ts";

/** Longest raise: 366 days. */
const RAISE_MS_MAX = 366 * 86_400_000;

/** MoneyStore.raiseBudget. */
export const raiseBudget = plainOperation("write", setRaise);

/**
 * Raises a budget in an open transaction. Throws an AccountError for an amount or a time out of range, and when there
 * is no such budget.
 */
export function* setRaise(
  tx: Transaction,
  update: Parameters<MoneyStore["raiseBudget"]>[0],
  nowMs: number,
): Steps<Budget> {
  const { organizationId, name, by, raise } = update;
  const { amountNano, untilMs } = raise;
  if (amountNano < 0n || amountNano > AMOUNT_NANO_MAX) {
    throw new AccountError("A budget is raised by 0 to a billion credits.");
  }
  if (amountNano > 0n && (untilMs <= nowMs || untilMs > nowMs + RAISE_MS_MAX)) {
    throw new AccountError("A budget is raised until a time within the next 366 days.");
  }
  yield* getOrganization(tx, organizationId);
  // Turns read their budgets under this lock.
  yield* lockBalance(tx, { organizationId });
  const key = yield* resolveBudget(tx, organizationId, name);
  yield* findBudget(tx, key);
  const before = yield* getCurrent(tx, key, nowMs);
  yield* updateRaise(tx, { ...key, amountNano, untilMs: amountNano === 0n ? null : untilMs });
  const after = yield* getCurrent(tx, key, nowMs);
  yield* record(tx, {
    by,
    atMs: nowMs,
    organizationId,
    action: "budget.raise",
    target: targetOf(key),
    before: { raise: showRaise(before) },
    after: { raise: showRaise(after) },
  });
  return after;
}

function showRaise({ raise }: Budget): { amount: number; until: number } | null {
  if (raise === undefined) return null;
  return { amount: creditsAsNumber(raise.amountNano), until: Math.floor(raise.untilMs / 1000) };
}

const updateRaise = write<BudgetKey & { amountNano: bigint; untilMs: number | null }>(`
  update budgets
     set raise_nano     = :amountNano,
         raise_until_ms = :untilMs
   where organization_id = :organizationId
     and scope = :scope
     and scope_id = :scopeId
     and period = :period`);
