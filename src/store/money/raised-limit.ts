// The limit of a budget that is raised for a while: the raise ends by itself, by the store's clock.
import type { BudgetRaise } from "../../ports/store/money.ts";

/** The columns of a raise. */
export interface RaiseRow {
  readonly raiseNano: string;
  readonly raiseUntilMs: number | null;
}

/** The raise that is in force at a time; null when there is none, or none any more. */
export function raiseAt({ raiseNano, raiseUntilMs }: RaiseRow, nowMs: number): BudgetRaise | null {
  const amountNano = BigInt(raiseNano);
  if (raiseUntilMs === null || raiseUntilMs <= nowMs || amountNano === 0n) return null;
  return { amountNano, untilMs: raiseUntilMs };
}
