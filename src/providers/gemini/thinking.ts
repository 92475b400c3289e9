// Encodes the catalog's thinking in the form of a model's generation.
import type { CatalogModel, ThinkingEffort } from "../../core/models/catalog.ts";
import type { ReportedReasoning } from "../../ports/provider.ts";
import { budgetOfEffort, effortOfBudget, equivalentEffort } from "../wire/reasoning.ts";
import type { ModelTraits } from "./model-traits.ts";

type Level = "low" | "medium" | "high";

export interface WireThinking {
  readonly thinkingLevel?: Uppercase<Level>;
  readonly thinkingBudget?: number;
  readonly includeThoughts: true;
}

/** The wire's highest level is `high`. */
const levelOf = (effort: ThinkingEffort): Level => (effort === "xhigh" ? "high" : effort);

const LEVELS = { low: "LOW", medium: "MEDIUM", high: "HIGH" } as const satisfies Record<Level, Uppercase<Level>>;

/** A catalog entry's thinking in the form that the model takes: a budget, an effort or none. */
export function thinkingSent(
  thinking: CatalogModel["thinking"],
  { thinking: control }: ModelTraits,
): CatalogModel["thinking"] {
  if (thinking === "none" || control === "none") return "none";
  if (control === "budget") return "effort" in thinking ? { budgetTokens: budgetOfEffort(thinking.effort) } : thinking;
  return { effort: levelOf("effort" in thinking ? thinking.effort : effortOfBudget(thinking.budgetTokens)) };
}

/** Encodes a catalog entry's thinking; null to send none and keep the provider's default. */
export function encodeThinking(thinking: CatalogModel["thinking"], traits: ModelTraits): WireThinking | null {
  const sent = thinkingSent(thinking, traits);
  if (sent === "none") return null;
  if ("budgetTokens" in sent) return { thinkingBudget: sent.budgetTokens, includeThoughts: true };
  return { thinkingLevel: LEVELS[levelOf(sent.effort)], includeThoughts: true };
}

/** The reasoning that a response reports: the level sent, or the effort equivalent to the budget. */
export function reportThinking(thinking: CatalogModel["thinking"], traits: ModelTraits): ReportedReasoning {
  const effort = equivalentEffort({ thinking: thinkingSent(thinking, traits) });
  // The provider decides how detailed its summaries are.
  return effort === null ? null : { effort, summary: "auto" };
}
