// Token counts of a response. @spec resources/usage
import type { Usage } from "../../contract/resources.ts";
import { createUsage } from "../../contract/usage.ts";
import { isJsonObject } from "../../base/json.ts";
import { readCount } from "../wire/json-shape.ts";
import { outputWithReasoning } from "../wire/reasoning-tokens.ts";

/** The usage of a response; null if it has none that is plausible. */
export function decodeUsage(value: unknown): Usage | null {
  if (!isJsonObject(value)) return null;
  const input = readCount(value.input_tokens);
  const reported = readCount(value.output_tokens);
  if (input === null || reported === null) return null;
  const inputDetails = isJsonObject(value.input_tokens_details) ? value.input_tokens_details : {};
  const outputDetails = isJsonObject(value.output_tokens_details) ? value.output_tokens_details : {};
  const cached = readCount(inputDetails.cached_tokens) ?? 0;
  const written = readCount(inputDetails.cache_write_tokens) ?? 0;
  const reasoning = readCount(outputDetails.reasoning_tokens) ?? 0;
  const output = outputWithReasoning({ input, output: reported, reasoning, total: readCount(value.total_tokens) });
  return createUsage({ input, cached, written, output, reasoning });
}
