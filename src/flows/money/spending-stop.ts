// The failure of a running response whose hold cannot be extended. @spec errors/failed-responses
import type { FailureCode } from "../../contract/failures.ts";
import { budgetReachedMessage, creditsUsedUpMessage, responseLimitMessage } from "../../core/money/messages.ts";
import type { Shortage } from "../../ports/store/funds.ts";

/** Stops a response because nothing pays for more of it. Its output so far is kept and charged. */
export class SpendingStop extends Error {
  override readonly name = "SpendingStop";
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The stop for the shortage that denied an extension. `spentNano`: the cost of the response so far. */
export function spendingStop(shortage: Shortage, spentNano: bigint): SpendingStop {
  if (shortage.kind === "credits") {
    return new SpendingStop("insufficient_credits", creditsUsedUpMessage({ ...shortage, spentNano }));
  }
  const { scope } = shortage;
  if (scope === "response") {
    return new SpendingStop("budget_exceeded", responseLimitMessage({ ...shortage, spentNano }));
  }
  const code = scope === "organization-day" ? "org_daily_budget_exceeded" : "scope_budget_exceeded";
  return new SpendingStop(code, budgetReachedMessage(shortage));
}
