// Amounts of credits and names of budgets, as requests send them.
import { invalidInput } from "../../contract/errors.ts";
import { type BudgetName, readBudgetName } from "../../core/money/budgets.ts";
import { readCredits } from "../../core/money/credits.ts";

/** Converts credits to nano-credits. Throws 400 `invalid_input` for fractions of a millionth. */
export function readAmount(param: string, amount: number): bigint {
  const nano = readCredits(String(amount));
  if (nano === null) throw invalidInput(param, `${param} is ${amount}; allowed: a number with at most six decimals.`);
  return nano;
}

/** The name of a budget. Throws 400 `invalid_input` (`scope`). */
export function readName(request: Parameters<typeof readBudgetName>[0]): BudgetName {
  const name = readBudgetName(request);
  if ("wrong" in name) throw invalidInput("scope", name.wrong);
  return name;
}
