// Token counts of a response. @spec resources/usage
import { isJsonObject } from "../../base/json.ts";
import { readCount } from "../wire/json-shape.ts";
import { readCacheCounts, readFirstCount, type TokenCounts, tokenCounts } from "../wire/token-counts.ts";

/** The counts of a response; null if it has none that is plausible. */
export function decodeUsage(value: unknown): TokenCounts | null {
  if (!isJsonObject(value)) return null;
  // Gateways mix the names of the two interfaces; where both have a count, this one's is meant.
  return tokenCounts({
    input: readFirstCount(["input_tokens", "prompt_tokens"], value),
    output: readFirstCount(["output_tokens", "completion_tokens"], value),
    reasoning: readFirstCount(
      ["reasoning_tokens", "thinking_tokens"],
      value.output_tokens_details,
      value.completion_tokens_details,
    ),
    total: readCount(value.total_tokens),
    ...readCacheCounts(value, value.input_tokens_details, value.prompt_tokens_details),
  });
}
