// Encodes the catalog's thinking in the form that a model takes.
import type { CatalogModel, ThinkingEffort } from "../../core/models/catalog.ts";
import type { ReportedReasoning } from "../../ports/provider.ts";
import { budgetOfEffort, effortOfBudget, equivalentEffort } from "../wire/reasoning.ts";
import type { ModelTraits } from "./model-traits.ts";
import type { WireThinking } from "./wire.ts";

/** The wire's smallest budget, tokens. */
const BUDGET_TOKENS_MIN = 1024;

/** Allows a request to say what happens to thinking that no longer matches its prompt. */
const BINDING_BETA = "thinking-binding-controls-2026-08-01";

export interface EncodedThinking {
  readonly thinking?: WireThinking;
  readonly effort?: ThinkingEffort;
  /** Values of the header `anthropic-beta`. */
  readonly betas: readonly string[];
}

export interface ThinkingInput {
  readonly model: CatalogModel;
  readonly traits: ModelTraits;
  /** Whether a tool call is forced; no model can think then. */
  readonly isForced: boolean;
  /** Whether the newest calls were made without thinking; a model with a budget cannot think about them then. */
  readonly hasUnthoughtCalls: () => boolean;
  readonly maxTokens: number;
}

/** Encodes the thinking of one round. */
export function encodeThinking(input: ThinkingInput): EncodedThinking {
  const { model, traits } = input;
  const effort = equivalentEffort(model);
  // Its default is sent explicitly, so that the response can report it.
  if (traits.thinking === "always") return adaptive(traits, effort ?? traits.defaultEffort);
  if (input.isForced || effort === null) return off(traits, effort);
  if (traits.thinking === "adaptive" || (traits.thinking === "unknown" && !hasBudget(model)))
    return adaptive(traits, effort);
  const budget = fitBudget(budgetOf(model, effort), input.maxTokens);
  if (budget === null || input.hasUnthoughtCalls()) return off(traits, null);
  return { thinking: { type: "enabled", budget_tokens: budget }, betas: [] };
}

/** The reasoning that a response reports: effort `none` if the model should think and could not this time. */
export function reportThinking(model: CatalogModel, { thinking, effort }: EncodedThinking): ReportedReasoning {
  // The provider decides how detailed its summaries are.
  if (thinking?.type === "enabled") return { effort: effortOfBudget(thinking.budget_tokens), summary: "auto" };
  if (thinking?.type === "adaptive" && effort !== undefined) return { effort, summary: "auto" };
  return model.thinking === "none" ? null : { effort: "none", summary: null };
}

/** Whether the messages may contain thinking: the wire rejects it in the newest message of a round without thinking. */
export function takesThinking(model: CatalogModel, traits: ModelTraits, encoded: EncodedThinking): boolean {
  // Thinking of an unknown, unconfigured model is on by the model's own choice, and stays on.
  return isOn(encoded) || (traits.thinking === "unknown" && model.thinking === "none");
}

function isOn({ thinking }: EncodedThinking): boolean {
  return thinking?.type === "adaptive" || thinking?.type === "enabled";
}

function adaptive(traits: ModelTraits, effort: ThinkingEffort): EncodedThinking {
  return {
    thinking: {
      type: "adaptive",
      // Newer models default to `omitted`: reasoning items and text between calls would be empty.
      display: "summarized",
      // A client may change instructions or tools between the rounds of a turn; the turn then goes on without its
      // thinking.
      ...(traits.isBound ? { block_binding: { prefix_mismatch_behavior: "drop_block" } } : {}),
    },
    effort,
    betas: traits.isBound ? [BINDING_BETA] : [],
  };
}

function off(traits: ModelTraits, effort: ThinkingEffort | null): EncodedThinking {
  if (!traits.thinksByDefault) return { betas: [] };
  // Thinking cannot be off at efforts above `high`.
  const most = effort === "xhigh" ? "high" : effort;
  return { thinking: { type: "disabled" }, ...(most === null ? {} : { effort: most }), betas: [] };
}

function hasBudget({ thinking }: CatalogModel): boolean {
  return typeof thinking === "object" && "budgetTokens" in thinking;
}

/** The catalog's budget, or the one equivalent to its effort. */
function budgetOf({ thinking }: CatalogModel, effort: ThinkingEffort): number {
  return typeof thinking === "object" && "budgetTokens" in thinking ? thinking.budgetTokens : budgetOfEffort(effort);
}

/** The budget limited by max_tokens; null if there is no room for the smallest. */
function fitBudget(wanted: number, maxTokens: number): number | null {
  const budget = Math.min(Math.max(wanted, BUDGET_TOKENS_MIN), maxTokens - 1);
  return budget < BUDGET_TOKENS_MIN ? null : budget;
}
