// Counts the tokens of a message: reported when it starts, then cumulatively until it ends. @spec resources/usage
import type { Usage } from "../../contract/resources.ts";
import { createUsage } from "../../contract/usage.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { readCount } from "../wire/json-shape.ts";

/** Creates the counter of one message. A missing or null count keeps the previous one. */
export function createUsageCounter() {
  // `input_tokens` of the wire excludes tokens read from or written to the cache.
  let fresh: number | null = null;
  let read = 0;
  let written = 0;
  let output: number | null = null;
  let reasoning = 0;
  let isOutputCounted = false;

  function take(value: JsonObject): Usage | null {
    fresh = readCount(value.input_tokens) ?? fresh;
    read = readCount(value.cache_read_input_tokens) ?? read;
    written = readCount(value.cache_creation_input_tokens) ?? written;
    output = readCount(value.output_tokens) ?? output;
    const details = value.output_tokens_details;
    if (isJsonObject(details)) reasoning = readCount(details.thinking_tokens) ?? reasoning;
    return fresh === null || output === null ? null : sum(fresh, output);
  }

  function sum(freshTokens: number, outputTokens: number): Usage {
    return createUsage({ input: freshTokens + read + written, cached: read, written, output: outputTokens, reasoning });
  }

  return {
    /**
     * Takes the `usage` of the message's start. Returns its input: it counts a token or more of output, but the model
     * has produced nothing yet.
     */
    begin(value: unknown): Usage | null {
      if (!isJsonObject(value)) return null;
      const usage = take(value);
      return usage === null || fresh === null ? null : sum(fresh, 0);
    },
    /** Takes the `usage` of a later event. Returns the usage so far; null until input and output are both known. */
    add(value: unknown): Usage | null {
      if (!isJsonObject(value)) return null;
      if (readCount(value.output_tokens) !== null) isOutputCounted = true;
      return take(value);
    },
    /** At the end of the message: its usage with missing counts estimated; null if none is missing. */
    complete(estimate: () => Usage): Usage | null {
      if (fresh !== null && output !== null && isOutputCounted) return null;
      const estimated = estimate();
      // Reported cache tokens are part of the input.
      const freshTokens = fresh ?? Math.max(0, estimated.input_tokens - read - written);
      if (output !== null && isOutputCounted) return sum(freshTokens, output);
      reasoning = Math.max(reasoning, estimated.output_tokens_details.reasoning_tokens);
      return sum(freshTokens, Math.max(output ?? 0, estimated.output_tokens));
    },
  };
}
