// Token counts of a simulated round: four characters a token, or what a directive says. @spec resources/usage
import { estimateTokens } from "../../contract/characters.ts";
import type { Usage } from "../../contract/resources.ts";

/** Counts given by `/usage`; null where the estimate holds. */
export interface UsageOverride {
  readonly input: number | null;
  readonly output: number | null;
  readonly cached: number | null;
  readonly write: number | null;
  readonly reasoning: number | null;
}

/** Usage of a round from its characters; parts never exceed their wholes. */
export function countUsage(
  characters: { input: number; output: number; reasoning: number },
  given: UsageOverride | null,
): Usage {
  const input = given?.input ?? estimateTokens(characters.input);
  const output = given?.output ?? estimateTokens(characters.output);
  const cached = Math.min(given?.cached ?? 0, input);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: Math.min(given?.write ?? 0, input - cached) },
    output_tokens: output,
    output_tokens_details: {
      reasoning_tokens: Math.min(given?.reasoning ?? estimateTokens(characters.reasoning), output),
    },
    total_tokens: input + output,
  };
}
