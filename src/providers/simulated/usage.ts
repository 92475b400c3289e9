// Counts the tokens of a simulated round: four characters per token, unless a directive sets the counts.
// @spec resources/usage
import { estimateTokens } from "../../contract/characters.ts";
import type { Usage } from "../../contract/resources.ts";
import { createUsage } from "../../contract/usage.ts";

/** Counts set by `/usage`; null for the estimate. */
export interface UsageOverride {
  readonly input: number | null;
  readonly output: number | null;
  readonly cached: number | null;
  readonly write: number | null;
  readonly reasoning: number | null;
}

/** The usage of a round from its characters. */
export function countUsage(
  characters: { input: number; output: number; reasoning: number },
  given: UsageOverride | null,
): Usage {
  return createUsage({
    input: given?.input ?? estimateTokens(characters.input),
    cached: given?.cached ?? 0,
    written: given?.write ?? 0,
    output: given?.output ?? estimateTokens(characters.output),
    reasoning: given?.reasoning ?? estimateTokens(characters.reasoning),
  });
}
