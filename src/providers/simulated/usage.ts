// Counts the tokens of a simulated round: four characters per token, unless a directive sets the counts.
// @spec resources/usage
import { estimateTokens } from "../../contract/characters.ts";
import type { Usage } from "../../contract/resources.ts";
import { createUsage } from "../../contract/usage.ts";

/** The counts that `/usage` sets. */
export const COUNTS = ["input", "output", "cached", "write", "reasoning"] as const;
/** Counts set by `/usage`; the others are estimated. */
export type GivenCounts = Partial<Readonly<Record<(typeof COUNTS)[number], number>>>;

/** The usage of a round from its characters. */
export function countUsage(
  characters: { input: number; output: number; reasoning: number },
  directive: GivenCounts,
): Usage {
  return createUsage({
    input: directive.input ?? estimateTokens(characters.input),
    cached: directive.cached ?? 0,
    written: directive.write ?? 0,
    output: directive.output ?? estimateTokens(characters.output),
    reasoning: directive.reasoning ?? estimateTokens(characters.reasoning),
  });
}
