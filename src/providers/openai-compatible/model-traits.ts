// Requirements of some models on a history, recognised by their names: their chat templates, or the servers of their vendors, reject
// requests that violate them. Other models with such a name are not affected.

import type { CatalogModel } from "../../core/models/catalog.ts";

export interface ModelTraits {
  /** Whether call ids must be nine letters and digits. */
  readonly wantsShortCallIds: boolean;
  /** Whether user and assistant must alternate, the user first, with an assistant message between results and the user. */
  readonly takesTurns: boolean;
  /** Whether every assistant message must have `reasoning_content`, even if the reasoning is unknown. */
  readonly wantsReasoning: boolean;
  /** Whether the reasoning before calls is sent back with their outputs. */
  readonly replaysReasoning: boolean;
  /** Whether the output limit is named `max_completion_tokens`. */
  readonly limitsCompletion: boolean;
}

/** Mistral, Ministral, Devstral, Codestral, Mixtral, Pixtral, …; by the rules of mistral-common. */
const MISTRAL = /[sx]tral/i;
const GEMMA = /gemma/i;
/**
 * Models of DeepSeek and Kimi that reason between calls; their servers reject a call without its reasoning. Those named
 * instruct do not reason, and other servers of them reject the field.
 */
const REQUIRES_REASONING = /^(?!.*instruct).*(?:deepseek-(?:reasoner|v(?:[4-9]|\d\d))|kimi-k)/i;
/** Others that reason between calls and need their reasoning back: DeepSeek V3.2, GLM from 4.5 on, MiniMax M, gpt-oss, MiMo. */
const NEEDS_REASONING = /deepseek-v3(?:[.p]2|-2-)|glm-(?:4[.p][5-9]|[5-9]|\d\d)|minimax-m\d|gpt-oss|mimo-v/i;

/** OpenAI's reasoning models, behind whatever gateway; not gpt-oss, which others serve. */
const OPENAI_REASONS = /(?:^|[/.:])(?:gpt-(?:[5-9]|\d\d)|o\d(?:-|$))/i;

/** The traits of a model, by its upstream name and its catalog entry. */
export function traitsOf({ upstreamModel, replaysReasoning }: TraitsInput): ModelTraits {
  const isMistral = MISTRAL.test(upstreamModel);
  const requiresReasoning = REQUIRES_REASONING.test(upstreamModel);
  return {
    wantsShortCallIds: isMistral,
    takesTurns: isMistral || GEMMA.test(upstreamModel),
    wantsReasoning: requiresReasoning && replaysReasoning !== false,
    replaysReasoning: replaysReasoning ?? (requiresReasoning || NEEDS_REASONING.test(upstreamModel)),
    limitsCompletion: OPENAI_REASONS.test(upstreamModel),
  };
}

type TraitsInput = Pick<CatalogModel, "upstreamModel" | "replaysReasoning">;
