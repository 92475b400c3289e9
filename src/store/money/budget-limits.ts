// The two limits of a budget, the operator's and the organization's own: the lower is in force. docs/decisions/ceilings.md
import { creditsAsNumber } from "../../core/money/credits.ts";
import { type CeilingError, ceilingError, type RuleSetter } from "../../ports/store/accounts.ts";
import { write } from "../engine/statement.ts";
import type { Steps, Transaction } from "../engine/transaction.ts";
import { type RaiseRow, raiseAt } from "./budget-counters.ts";

/** The columns of the limits. */
export interface LimitsRow {
  readonly ceilingNano: string | null;
  readonly ownNano: string | null;
}

/** The limits that the operator and the organization have set; null: none. */
export type BudgetLimits = Readonly<Record<RuleSetter, bigint | null>>;

const NO_LIMITS: BudgetLimits = { operator: null, organization: null };

/** The limits of a budget's row, if there is one. */
export function limitsOf(row: LimitsRow | undefined): BudgetLimits {
  if (row === undefined) return NO_LIMITS;
  const { ceilingNano, ownNano } = row;
  return {
    operator: ceilingNano === null ? null : BigInt(ceilingNano),
    organization: ownNano === null ? null : BigInt(ownNano),
  };
}

/** Whether a budget was set before there were ceilings: whoever sets it next takes it over. */
export function isFromBefore({ ceilingNano, ownNano }: LimitsRow): boolean {
  return ceilingNano === null && ownNano === null;
}

/** The lower limit; one of them is set. */
export function lowerOf({ operator, organization }: BudgetLimits): bigint {
  if (operator === null || organization === null) return operator ?? organization ?? 0n;
  return operator < organization ? operator : organization;
}

/** What an organization gets that wants more than the operator's limit, or to remove it. */
export function beyondCeiling(ceilingNano: bigint): CeilingError {
  return ceilingError(`this budget's limit to ${creditsAsNumber(ceilingNano)} credits`);
}

/** Changes the limits, and cuts a raise by the organization to what the operator's limit leaves. */
export function* updateLimits(
  tx: Transaction,
  row: RaiseRow & { readonly budgetId: number },
  limits: BudgetLimits,
  nowMs: number,
): Steps<void> {
  const limitNano = lowerOf(limits);
  const { operator: ceilingNano, organization: ownNano } = limits;
  yield* updateLimit(tx, { budgetId: row.budgetId, limitNano, ceilingNano, ownNano });
  const raise = raiseAt(row, nowMs);
  if (raise === null || raise.isOperators || ceilingNano === null) return;
  const roomNano = ceilingNano - limitNano;
  if (raise.amountNano > roomNano) yield* cutRaise(tx, { budgetId: row.budgetId, amountNano: roomNano });
}

const updateLimit = write<{ budgetId: number; limitNano: bigint; ceilingNano: bigint | null; ownNano: bigint | null }>(`
  update budgets
     set limit_nano     = :limitNano,
         ceiling_nano   = :ceilingNano,
         own_limit_nano = :ownNano
   where id = :budgetId`);

const cutRaise = write<{ budgetId: number; amountNano: bigint }>(`
  update budgets set raise_nano = :amountNano where id = :budgetId`);
