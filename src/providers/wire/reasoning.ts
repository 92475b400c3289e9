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

/** The effort of a catalog entry, or the one equivalent to its budget; null if the model should not think. */
export function equivalentEffort({ thinking }: Pick<CatalogModel, "thinking">): ThinkingEffort | null {
  if (thinking === "none") return null;
  return "effort" in thinking ? thinking.effort : effortOfBudget(thinking.budgetTokens);
}

/** The effort of a catalog entry, for wires that take no budget; null if it has none. */
export function effortOf({ thinking }: CatalogModel): ThinkingEffort | null {
  return typeof thinking === "object" && "effort" in thinking ? thinking.effort : null;
}

/** What a response reports of such an effort, for wires that are not asked for summaries. */
export function reportEffort(model: CatalogModel): ReportedReasoning {
  const effort = effortOf(model);
  return effort === null ? null : { effort, summary: null };
}
