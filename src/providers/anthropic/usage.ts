// Counts the tokens of a message: reported when it starts, then cumulatively until it ends. @spec resources/usage
import type { Usage } from "../../contract/resources.ts";
import { createUsage } from "../../contract/usage.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { readCount } from "../wire/json-shape.ts";
import { keepCount, readCacheCounts, readFirstCount } from "../wire/token-counts.ts";

/** Creates the counter of one message. A count that is missing, null or zero keeps the previous one. */
export function createUsageCounter(onUnknown: (count: string | null) => void) {
  // `input_tokens` of the wire excludes tokens read from or written to the cache.
  let fresh: number | null = null;
  let read = 0;
  let written = 0;
  let output: number | null = null;
  let reasoning = 0;
  let isOutputCounted = false;

  function take(value: JsonObject): Usage | null {
    fresh = keepCount(readCount(value.input_tokens), fresh);
    const cache = readCacheCounts(value, value.input_tokens_details);
    onUnknown(cache.unknown);
    read = keepCount(cache.cached, read);
    written = keepCount(cache.written, written);
    output = keepCount(readCount(value.output_tokens), output);
    reasoning = keepCount(
      readFirstCount(["thinking_tokens", "reasoning_tokens"], value.output_tokens_details),
      reasoning,
    );
    return fresh === null || !isInputCounted() || output === null ? null : sum(fresh, output);
  }

  /** A prompt is never empty. */
  function isInputCounted(): boolean {
    return fresh !== null && fresh + read + written > 0;
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
    /**
     * At the end of the message: its usage with missing counts estimated; null if none is missing. A zero beside output
     * is no count.
     */
    complete(estimate: () => Usage, hasOutput: boolean): Usage | null {
      const isCounted = output !== null && isOutputCounted && (output > 0 || !hasOutput);
      if (isInputCounted() && isCounted) return null;
      const estimated = estimate();
      // Reported cache tokens are part of the input.
      const freshTokens =
        isInputCounted() && fresh !== null ? fresh : Math.max(0, estimated.input_tokens - read - written);
      if (output !== null && isCounted) return sum(freshTokens, output);
      reasoning = Math.max(reasoning, estimated.output_tokens_details.reasoning_tokens);
      return sum(freshTokens, Math.max(output ?? 0, estimated.output_tokens));
    },
  };
}
