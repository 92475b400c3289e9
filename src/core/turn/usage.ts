// Token counts, added up over the rounds of a turn. @spec resources/usage
import type { Usage } from "../../contract/resources.ts";

export const NO_USAGE: Usage = Object.freeze({
  input_tokens: 0,
  input_tokens_details: Object.freeze({ cached_tokens: 0, cache_write_tokens: 0 }),
  output_tokens: 0,
  output_tokens_details: Object.freeze({ reasoning_tokens: 0 }),
  total_tokens: 0,
});

/** The sum of two counts, member by member. */
export function addUsage(left: Usage, right: Usage): Usage {
  const input = left.input_tokens_details;
  const moreInput = right.input_tokens_details;
  return {
    input_tokens: left.input_tokens + right.input_tokens,
    input_tokens_details: {
      cached_tokens: input.cached_tokens + moreInput.cached_tokens,
      cache_write_tokens: input.cache_write_tokens + moreInput.cache_write_tokens,
    },
    output_tokens: left.output_tokens + right.output_tokens,
    output_tokens_details: {
      reasoning_tokens: left.output_tokens_details.reasoning_tokens + right.output_tokens_details.reasoning_tokens,
    },
    total_tokens: left.total_tokens + right.total_tokens,
  };
}
