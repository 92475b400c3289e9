// How much a model shall think, in the words of its generation.
import type { CatalogModel } from "../../core/catalog.ts";
import type { ReportedReasoning } from "../../ports/provider.ts";
import { toEffort } from "../reasoning.ts";
import type { ModelTraits } from "./model-traits.ts";

type ThinkingLevel = "LOW" | "MEDIUM" | "HIGH";

export interface WireThinking {
  readonly thinkingLevel?: ThinkingLevel;
  readonly thinkingBudget?: number;
  readonly includeThoughts: true;
}

/** Efforts, levels, and the budgets that the provider's own documents set equal to them; by rising effort. */
const SCALE = [
  { efforts: ["low"], level: "LOW", budgetTokens: 1_024 },
  { efforts: ["medium"], level: "MEDIUM", budgetTokens: 8_192 },
  { efforts: ["high", "xhigh"], level: "HIGH", budgetTokens: 24_576 },
] as const;
const HIGHEST = SCALE[2];

/** What is sent for a catalog entry's thinking; null: nothing, the provider's own default holds. */
export function encodeThinking(
  thinking: CatalogModel["thinking"],
  { thinking: way }: ModelTraits,
): WireThinking | null {
  if (thinking === "none" || way === "none") return null;
  if ("budgetTokens" in thinking) {
    const { budgetTokens } = thinking;
    if (way === "budget") return { thinkingBudget: budgetTokens, includeThoughts: true };
    const step = SCALE.find((candidate) => budgetTokens <= candidate.budgetTokens) ?? HIGHEST;
    return { thinkingLevel: step.level, includeThoughts: true };
  }
  const step = SCALE.find(({ efforts }) => efforts.some((effort) => effort === thinking.effort));
  // An effort of another word is none that the configuration lets through.
  if (step === undefined) return null;
  return way === "level"
    ? { thinkingLevel: step.level, includeThoughts: true }
    : { thinkingBudget: step.budgetTokens, includeThoughts: true };
}

/** What a response reports: the level that the model is told, or the effort whose budget it is; another budget is no effort. */
export function reportThinking(thinking: CatalogModel["thinking"], traits: ModelTraits): ReportedReasoning {
  const sent = encodeThinking(thinking, traits);
  if (sent === null) return null;
  const effort = SCALE.find(({ level, budgetTokens }) =>
    sent.thinkingLevel === undefined ? sent.thinkingBudget === budgetTokens : sent.thinkingLevel === level,
  )?.efforts[0];
  // How much its summaries say is the provider's to decide.
  return { effort: toEffort(effort ?? null), summary: "auto" };
}
