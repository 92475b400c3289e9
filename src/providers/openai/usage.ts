// Token counts of a response. @spec resources/usage
import type { Usage } from "../../contract/resources.ts";
import { isRecord, readCount } from "../json-shape.ts";

/** The usage of a response; null when it carries none that could be true. Parts never exceed their wholes. */
export function decodeUsage(value: unknown): Usage | null {
  if (!isRecord(value)) return null;
  const input = readCount(value.input_tokens);
  const output = readCount(value.output_tokens);
  if (input === null || output === null) return null;
  const inputDetails = isRecord(value.input_tokens_details) ? value.input_tokens_details : {};
  const outputDetails = isRecord(value.output_tokens_details) ? value.output_tokens_details : {};
  const cached = Math.min(readCount(inputDetails.cached_tokens) ?? 0, input);
  const written = readCount(inputDetails.cache_write_tokens) ?? 0;
  const reasoning = readCount(outputDetails.reasoning_tokens) ?? 0;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: Math.min(written, input - cached) },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: Math.min(reasoning, output) },
    total_tokens: input + output,
  };
}
