// The reasoning that a response reports, and the effort equivalent to a token budget.
// @spec resources/response-object
import type { CatalogModel, ThinkingEffort } from "../../core/models/catalog.ts";
import type { ReportedReasoning } from "../../ports/provider.ts";

/** Token budgets equivalent to efforts in Google's documentation; no other vendor defines any. */
const BUDGETS = { low: 1_024, medium: 8_192, high: 24_576 } as const;

/** The effort equivalent to a budget: the lowest whose own budget covers it. */
export function effortOfBudget(budgetTokens: number): ThinkingEffort {
  if (budgetTokens <= BUDGETS.low) return "low";
  if (budgetTokens <= BUDGETS.medium) return "medium";
  return budgetTokens <= BUDGETS.high ? "high" : "xhigh";
}

/** The budget equivalent to an effort; some models accept none above that of `high`. */
export function budgetOfEffort(effort: ThinkingEffort): number {
  return BUDGETS[effort === "xhigh" ? "high" : effort];
}

/** For wires that take an effort, no budget, and are not asked for summaries. */
export function reportEffort({ thinking }: CatalogModel): ReportedReasoning {
  if (typeof thinking !== "object" || !("effort" in thinking)) return null;
  return { effort: thinking.effort, summary: null };
}
