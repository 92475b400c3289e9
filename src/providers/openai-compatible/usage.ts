// Token counts of a chat completion. @spec resources/usage
import type { Usage } from "../../contract/resources.ts";
import { isRecord, readCount } from "../json-shape.ts";

/** The usage of a chunk; null when it carries none that could be true. Parts never exceed their wholes. */
export function decodeUsage(value: unknown): Usage | null {
  if (!isRecord(value)) return null;
  const input = readCount(value.prompt_tokens);
  const output = readCount(value.completion_tokens);
  if (input === null || output === null) return null;
  const inputDetails = isRecord(value.prompt_tokens_details) ? value.prompt_tokens_details : {};
  const outputDetails = isRecord(value.completion_tokens_details) ? value.completion_tokens_details : {};
  const cached = readCount(inputDetails.cached_tokens) ?? readCount(value.prompt_cache_hit_tokens) ?? 0;
  const written = readCount(inputDetails.cache_write_tokens) ?? 0;
  const reasoning = readCount(outputDetails.reasoning_tokens) ?? 0;
  const cachedTokens = Math.min(cached, input);
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: cachedTokens,
      cache_write_tokens: Math.min(written, input - cachedTokens),
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: Math.min(reasoning, output) },
    total_tokens: input + output,
  };
}
