// Token counts of generateContent. @spec resources/usage
import type { Usage } from "../../contract/resources.ts";
import { isRecord, type JsonRecord, readCount } from "../json-shape.ts";

/** The usage of a chunk, a running total of its request; null when it carries none that could be true. */
export function decodeUsage(value: unknown): Usage | null {
  if (!isRecord(value)) return null;
  const reasoning = readCount(value.thoughtsTokenCount) ?? 0;
  const text = readCount(value.candidatesTokenCount);
  const total = readCount(value.totalTokenCount);
  const input = readInput(value, text === null || total === null ? null : total - text - reasoning);
  if (input === null) return null;
  // Some models count no candidates: what the total has beyond the input is output.
  const output = text === null && total !== null ? Math.max(reasoning, total - input) : (text ?? 0) + reasoning;
  return {
    input_tokens: input,
    // Cached tokens are among those of the prompt. Nothing is charged for writing the implicit cache.
    input_tokens_details: {
      cached_tokens: Math.min(readCount(value.cachedContentTokenCount) ?? 0, input),
      cache_write_tokens: 0,
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}

/** The tokens of the prompt and of what tools brought; where the prompt is not counted, what is left of the total for them. */
function readInput(value: JsonRecord, rest: number | null): number | null {
  if (value.promptTokenCount === undefined) return rest !== null && rest >= 0 ? rest : null;
  const prompt = readCount(value.promptTokenCount);
  return prompt === null ? null : prompt + (readCount(value.toolUsePromptTokenCount) ?? 0);
}

/** The sum of two requests of one round: each is billed. */
export function sumUsage(one: Usage, other: Usage): Usage {
  return {
    input_tokens: one.input_tokens + other.input_tokens,
    input_tokens_details: {
      cached_tokens: one.input_tokens_details.cached_tokens + other.input_tokens_details.cached_tokens,
      cache_write_tokens: one.input_tokens_details.cache_write_tokens + other.input_tokens_details.cache_write_tokens,
    },
    output_tokens: one.output_tokens + other.output_tokens,
    output_tokens_details: {
      reasoning_tokens: one.output_tokens_details.reasoning_tokens + other.output_tokens_details.reasoning_tokens,
    },
    total_tokens: one.total_tokens + other.total_tokens,
  };
}
