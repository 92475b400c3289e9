// Token counts of a chat completion. @spec resources/usage
import { isJsonObject } from "../../base/json.ts";
import { readCount } from "../wire/json-shape.ts";
import { readCacheCounts, readFirstCount, type TokenCounts, tokenCounts } from "../wire/token-counts.ts";

/** The counts of a chunk; null if it has none that is plausible. */
export function decodeUsage(value: unknown): TokenCounts | null {
  if (!isJsonObject(value)) return null;
  const details = [value.prompt_tokens_details, value.input_tokens_details, value.prompt_token_details];
  const outputDetails = [value.completion_tokens_details, value.output_tokens_details, value];
  // Gateways mix the names of the two interfaces; where both have a count, this one's is meant.
  return tokenCounts({
    input: readFirstCount(["prompt_tokens", "input_tokens"], value),
    output: readFirstCount(["completion_tokens", "output_tokens"], value),
    reasoning: readFirstCount(["reasoning_tokens", "thinking_tokens"], ...outputDetails),
    total: readCount(value.total_tokens),
    ...readCacheCounts(value, ...details),
  });
}
