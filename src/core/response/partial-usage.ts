// The usage of a response that was cut off: it is billed for what was produced. @spec states-and-transitions
import type { Usage } from "../../contract/resources.ts";
import { estimateTokens } from "../../contract/characters.ts";
import type { Plan } from "./plan.ts";
import { createUsage, NO_USAGE } from "../../contract/usage.ts";

/** What a model has produced so far, emitted or not. */
export interface Produced {
  /** Characters of its texts, refusals, arguments and reasoning. */
  readonly characters: number;
  /** Those of its reasoning. */
  readonly reasoning: number;
  /** Whether there is any output: an item without text is output too, such as the start of a call or a signature. */
  readonly hasOutput: boolean;
}

/**
 * The usage of a response that ended before its provider reported the final count. Input: as reported, else estimated
 * at four characters a token. Output and reasoning: what was received, at most what the response may emit. All zeros when no output
 * was received and the provider counts none, even if it reports input. docs/money.md (What is charged)
 */
export function partialUsage(
  { promptCharacters, outputTokensMax }: Pick<Plan, "promptCharacters" | "outputTokensMax">,
  { characters, reasoning, hasOutput }: Produced,
  reported: Usage | null,
): Usage {
  const { output_tokens, input_tokens_details, output_tokens_details } = reported ?? NO_USAGE;
  if (!hasOutput && characters === 0 && output_tokens === 0) return NO_USAGE;
  return createUsage({
    input: reported?.input_tokens ?? estimateTokens(promptCharacters),
    cached: input_tokens_details.cached_tokens,
    written: input_tokens_details.cache_write_tokens,
    output: Math.min(Math.max(output_tokens, estimateTokens(characters)), outputTokensMax),
    reasoning: Math.max(output_tokens_details.reasoning_tokens, estimateTokens(reasoning)),
  });
}

/**
 * A usage whose output is capped at what the response may emit: a client does not pay for what a provider counts beyond
 * its limit.
 */
export function capOutput(usage: Usage, outputTokensMax: number): Usage {
  if (usage.output_tokens <= outputTokensMax) return usage;
  const { reasoning_tokens } = usage.output_tokens_details;
  return {
    ...usage,
    output_tokens: outputTokensMax,
    output_tokens_details: { reasoning_tokens: Math.min(reasoning_tokens, outputTokensMax) },
    total_tokens: usage.input_tokens + outputTokensMax,
  };
}
