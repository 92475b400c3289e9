// Token counts of a round, and of the rounds of a turn. @spec resources/usage
import type { Usage } from "./resources.ts";

interface Counts {
  readonly input: number;
  /** Part of the input: read from the provider's cache, and written to it. */
  readonly cached?: number;
  readonly written?: number;
  readonly output: number;
  /** Part of the output. */
  readonly reasoning?: number;
}

/** The usage of these counts. Details never exceed their totals. */
export function createUsage({ input, cached = 0, written = 0, output, reasoning = 0 }: Counts): Usage {
  const cachedTokens = Math.min(cached, input);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: Math.min(written, input - cachedTokens) },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: Math.min(reasoning, output) },
    total_tokens: input + output,
  };
}

export const NO_USAGE: Usage = Object.freeze(createUsage({ input: 0, output: 0 }));

/** The sum of two usages, field by field. */
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
