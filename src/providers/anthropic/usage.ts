// Token counts of a message: told when it starts, then cumulatively as it ends. @spec resources/usage
import type { Usage } from "../../contract/resources.ts";
import { isRecord, type JsonRecord, readCount } from "../json-shape.ts";

export interface UsageCounter {
  /** Takes the `usage` that the message starts with: what it says of the output is no count of it yet. Answers as `add` does. */
  begin(value: unknown): Usage | null;
  /** Takes the `usage` of a later event; answers all that is known then, null while that is not yet both ends. */
  add(value: unknown): Usage | null;
  /** The message has ended: its usage with what was not told taken from an estimate; null when all of it was told. */
  complete(estimate: () => Usage): Usage | null;
}

/** Counts one message. A count that is missing or null leaves the one before it standing. */
export function createUsageCounter(): UsageCounter {
  // The wire's input_tokens are those that no cache had a part in.
  let fresh: number | null = null;
  let read = 0;
  let written = 0;
  let output: number | null = null;
  let reasoning = 0;
  let isOutputCounted = false;

  function take(value: JsonRecord): Usage | null {
    fresh = readCount(value.input_tokens) ?? fresh;
    read = readCount(value.cache_read_input_tokens) ?? read;
    written = readCount(value.cache_creation_input_tokens) ?? written;
    output = readCount(value.output_tokens) ?? output;
    const details = value.output_tokens_details;
    if (isRecord(details)) reasoning = readCount(details.thinking_tokens) ?? reasoning;
    return fresh === null || output === null ? null : sum(fresh, output);
  }

  function sum(freshTokens: number, outputTokens: number): Usage {
    const input = freshTokens + read + written;
    return {
      input_tokens: input,
      input_tokens_details: { cached_tokens: read, cache_write_tokens: written },
      output_tokens: outputTokens,
      output_tokens_details: { reasoning_tokens: Math.min(reasoning, outputTokens) },
      total_tokens: input + outputTokens,
    };
  }

  return {
    begin: (value) => (isRecord(value) ? take(value) : null),
    add(value) {
      if (!isRecord(value)) return null;
      if (readCount(value.output_tokens) !== null) isOutputCounted = true;
      return take(value);
    },
    complete(estimate) {
      if (fresh !== null && output !== null && isOutputCounted) return null;
      const estimated = estimate();
      // What was told of the cache is a part of the input.
      const freshTokens = fresh ?? Math.max(0, estimated.input_tokens - read - written);
      if (output !== null && isOutputCounted) return sum(freshTokens, output);
      reasoning = Math.max(reasoning, estimated.output_tokens_details.reasoning_tokens);
      return sum(freshTokens, Math.max(output ?? 0, estimated.output_tokens));
    },
  };
}
