// Token counts of a message: told when it starts, then cumulatively as it ends. @spec resources/usage
import type { Usage } from "../../contract/resources.ts";
import { isRecord, readCount } from "../json-shape.ts";

export interface UsageCounter {
  /** Takes the `usage` of an event; answers all that is known then, null while that is not yet both ends. */
  add(value: unknown): Usage | null;
}

/** Counts one message. A count that is missing or null leaves the one before it standing. */
export function createUsageCounter(): UsageCounter {
  // The wire's input_tokens are those that no cache had a part in.
  let fresh: number | null = null;
  let read = 0;
  let written = 0;
  let output: number | null = null;
  let reasoning = 0;

  return {
    add(value) {
      if (!isRecord(value)) return null;
      fresh = readCount(value.input_tokens) ?? fresh;
      read = readCount(value.cache_read_input_tokens) ?? read;
      written = readCount(value.cache_creation_input_tokens) ?? written;
      output = readCount(value.output_tokens) ?? output;
      const details = value.output_tokens_details;
      if (isRecord(details)) reasoning = readCount(details.thinking_tokens) ?? reasoning;
      if (fresh === null || output === null) return null;
      const input = fresh + read + written;
      return {
        input_tokens: input,
        input_tokens_details: { cached_tokens: read, cache_write_tokens: written },
        output_tokens: output,
        output_tokens_details: { reasoning_tokens: Math.min(reasoning, output) },
        total_tokens: input + output,
      };
    },
  };
}
