// Whether and how much a model thinks: what the catalog says, in the words that this model takes.
import type { CatalogModel } from "../../core/catalog.ts";
import type { ReportedReasoning } from "../../ports/provider.ts";
import { toEffort } from "../reasoning.ts";
import type { ModelTraits } from "./model-traits.ts";
import { WIRE_EFFORTS, type WireEffort, type WireThinking } from "./wire.ts";

/** Smallest budget that the wire takes, tokens. */
const BUDGET_TOKENS_MIN = 1024;

/** Lets a request state what becomes of thinking that does not fit its prompt any more. */
const BINDING_BETA = "thinking-binding-controls-2026-08-01";

export interface EncodedThinking {
  readonly thinking?: WireThinking;
  readonly effort?: WireEffort;
  /** Values of the header `anthropic-beta`. */
  readonly betas: readonly string[];
}

export interface ThinkingQuestion {
  readonly model: CatalogModel;
  readonly traits: ModelTraits;
  /** No model can be forced to call a tool while it thinks. */
  readonly isForced: boolean;
  /** Whether the newest calls were made without thinking: nothing may be thought of them by a budget. */
  readonly hasUnthoughtCalls: () => boolean;
  readonly maxTokens: number;
}

/** Encodes the thinking of one round. */
export function encodeThinking(question: ThinkingQuestion): EncodedThinking {
  const { model, traits } = question;
  const effort = effortOf(model);
  if (traits.thinking === "always") return adaptive(traits, effort);
  if (question.isForced || model.thinking === "none") return off(traits, effort);
  const wanted = budgetOf(model);
  if (traits.thinking === "adaptive" || (traits.thinking === "unknown" && wanted === null))
    return adaptive(traits, effort);
  const budget = wanted === null ? null : fitBudget(wanted, question.maxTokens);
  if (budget === null || question.hasUnthoughtCalls()) return off(traits, null);
  return { thinking: { type: "enabled", budget_tokens: budget }, betas: [] };
}

/** What a response reports of a round that is sent so: `none` where its model was to think, and could not this time. */
export function reportThinking(model: CatalogModel, encoded: EncodedThinking): ReportedReasoning {
  // How much its summaries say is the provider's to decide. A budget is no effort.
  if (isOn(encoded)) return { effort: toEffort(encoded.effort ?? null), summary: "auto" };
  return model.thinking === "none" ? null : { effort: "none", summary: null };
}

/** Whether a round that is sent so takes thoughts: without thinking the wire refuses them in the newest answer. */
export function takesThoughts(model: CatalogModel, traits: ModelTraits, encoded: EncodedThinking): boolean {
  // What nobody knows or configured is not turned off: thoughts of such a model came of its own, as the next ones may.
  return isOn(encoded) || (traits.thinking === "unknown" && model.thinking === "none");
}

function isOn({ thinking }: EncodedThinking): boolean {
  return thinking?.type === "adaptive" || thinking?.type === "enabled";
}

function adaptive(traits: ModelTraits, effort: WireEffort | null): EncodedThinking {
  return {
    thinking: {
      type: "adaptive",
      // Left out it is `omitted` on the newer models: reasoning items would be empty, and so would text between calls.
      display: "summarized",
      // A client may change instructions or tools between the rounds of a turn: without its thinking it still goes on.
      ...(traits.isBound ? { block_binding: { prefix_mismatch_behavior: "drop_block" } } : {}),
    },
    ...(effort === null ? {} : { effort }),
    betas: traits.isBound ? [BINDING_BETA] : [],
  };
}

function off(traits: ModelTraits, effort: WireEffort | null): EncodedThinking {
  if (!traits.thinksByDefault) return { betas: [] };
  // Above `high` thinking can't be off.
  const most = effort === "xhigh" || effort === "max" ? "high" : effort;
  return { thinking: { type: "disabled" }, ...(most === null ? {} : { effort: most }), betas: [] };
}

function effortOf({ thinking }: CatalogModel): WireEffort | null {
  if (typeof thinking !== "object" || !("effort" in thinking)) return null;
  return WIRE_EFFORTS.find((effort) => effort === thinking.effort) ?? null;
}

/** The catalog's budget; null for none. */
function budgetOf({ thinking }: CatalogModel): number | null {
  return typeof thinking === "object" && "budgetTokens" in thinking ? thinking.budgetTokens : null;
}

/** A budget within max_tokens; null where there is no room for the smallest. */
function fitBudget(wanted: number, maxTokens: number): number | null {
  const budget = Math.min(Math.max(wanted, BUDGET_TOKENS_MIN), maxTokens - 1);
  return budget < BUDGET_TOKENS_MIN ? null : budget;
}
