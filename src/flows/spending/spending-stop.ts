// Why a running turn may spend no more: a failure of the closed set, with its sentence. @spec errors/failed-responses
import type { FailureCode } from "../../contract/failures.ts";
import {
  sayBudgetReached,
  sayCreditsUsedUp,
  sayResponseLimitBelowStart,
  sayResponseLimitReached,
} from "../../core/accounts/spend.ts";
import type { Shortage } from "../../ports/funds.ts";

/** A turn that was stopped because nothing pays for more of it. What it has put out is kept, and charged. */
export class SpendingStop extends Error {
  override readonly name = "SpendingStop";
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The stop that a refused extension is. `spentNano`: what the turn has cost so far. */
export function stopFor(shortage: Shortage, spentNano: bigint): SpendingStop {
  if (shortage.kind === "credits") return new SpendingStop("insufficient_credits", sayCreditsUsedUp(spentNano));
  const { scope, limitNano } = shortage;
  if (scope === "response") {
    return new SpendingStop("budget_exceeded", sayResponseLimitReached({ spentNano, limitNano }));
  }
  const code = scope === "organization-day" ? "org_daily_budget_exceeded" : "scope_budget_exceeded";
  const committedNano = shortage.spentNano + shortage.heldNano;
  return new SpendingStop(code, sayBudgetReached({ ...shortage, spentNano: committedNano }));
}

/** The stop of a turn whose first hold is above what a single response may cost: its provider is not asked. */
export function stopBelowStart(limitNano: bigint, neededNano: bigint): SpendingStop {
  return new SpendingStop("budget_exceeded", sayResponseLimitBelowStart(limitNano, neededNano));
}
