// Token counts of a response. @spec resources/usage
import { isJsonObject } from "../../base/json.ts";
import { readCount } from "../wire/json-shape.ts";
import { INPUT, OUTPUT, readCacheCounts, readFirstCount, type TokenCounts, tokenCounts } from "../wire/token-counts.ts";

/** The counts of a response; null if it has none that is plausible. */
export function decodeUsage(value: unknown): TokenCounts | null {
  if (!isJsonObject(value)) return null;
  return tokenCounts({
    input: readFirstCount(INPUT, value),
    output: readFirstCount(OUTPUT, value),
    reasoning: readFirstCount(
      ["reasoning_tokens", "thinking_tokens"],
      value.output_tokens_details,
      value.completion_tokens_details,
    ),
    total: readCount(value.total_tokens),
    ...readCacheCounts(value, value.input_tokens_details, value.prompt_tokens_details),
  });
}
