// What a turn that was cut off used: billed for what was produced. @spec states-and-transitions
import type { Usage } from "../../contract/resources.ts";
import { estimateTokens } from "../../contract/characters.ts";
import { NO_USAGE } from "./usage.ts";

/**
 * The usage of a turn that ended before its provider gave the final count: the input as the provider told it, else by four characters
 * a token; the output that was seen. Zeros when nothing was produced and nothing told.
 */
export function produced(promptCharacters: number, outputCharacters: number, told: Usage | null): Usage {
  if (told === null && outputCharacters === 0) return NO_USAGE;
  const seenTokens = estimateTokens(outputCharacters);
  const input = told?.input_tokens ?? estimateTokens(promptCharacters);
  const output = Math.max(told?.output_tokens ?? 0, seenTokens);
  return {
    input_tokens: input,
    input_tokens_details: told?.input_tokens_details ?? NO_USAGE.input_tokens_details,
    output_tokens: output,
    output_tokens_details: told?.output_tokens_details ?? NO_USAGE.output_tokens_details,
    total_tokens: input + output,
  };
}
