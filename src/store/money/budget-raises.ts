// Budgets raised for a while. raised-limit.ts has what a raise means, budget-counters.ts where turns meet it.
import { describeBudget } from "../../core/money/budgets.ts";
import { AMOUNT_NANO_MAX, creditsAsNumber } from "../../core/money/credits.ts";
import { AccountError } from "../../ports/store/accounts.ts";
import type { Budget, BudgetRaise, MoneyStore } from "../../ports/store/money.ts";
import { record } from "../accounts/audit.ts";
import { getOrganization } from "../accounts/organizations.ts";
import { plainOperation } from "../engine/operation.ts";
import { write } from "../engine/statement.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { findBudget, getBudget, resolveName } from "./budgets.ts";
import { raiseAt } from "./budget-counters.ts";
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
  const { organizationId, by, raise } = update;
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
  const budget = { organizationId, name: yield* resolveName(tx, update) };
  const row = yield* findBudget(tx, budget, nowMs);
  yield* updateRaise(tx, { budgetId: row.budgetId, amountNano, untilMs: amountNano === 0n ? null : untilMs });
  const after = yield* getBudget(tx, budget, nowMs);
  yield* record(tx, {
    by,
    atMs: nowMs,
    organizationId,
    action: "budget.raise",
    target: describeBudget(budget.name),
    before: { raise: showRaise(raiseAt(row, nowMs)) },
    after: { raise: showRaise(after.raise ?? null) },
  });
  return after;
}

function showRaise(raise: BudgetRaise | null): { amount: number; until: number } | null {
  return raise === null ? null : { amount: creditsAsNumber(raise.amountNano), until: Math.floor(raise.untilMs / 1000) };
}

const updateRaise = write<{ budgetId: number; amountNano: bigint; untilMs: number | null }>(`
  update budgets
     set raise_nano     = :amountNano,
         raise_until_ms = :untilMs
   where id = :budgetId`);
