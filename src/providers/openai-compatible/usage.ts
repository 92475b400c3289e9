// Token counts of a chat completion. @spec resources/usage
import type { Usage } from "../../contract/resources.ts";
import { createUsage } from "../../contract/usage.ts";
import { isJsonObject } from "../../base/json.ts";
import { readCount } from "../wire/json-shape.ts";
import { outputWithReasoning } from "../wire/reasoning-tokens.ts";

/** The usage of a chunk; null if it has none that is plausible. */
export function decodeUsage(value: unknown): Usage | null {
  if (!isJsonObject(value)) return null;
  const input = readCount(value.prompt_tokens);
  const completion = readCount(value.completion_tokens);
  if (input === null || completion === null) return null;
  const inputDetails = isJsonObject(value.prompt_tokens_details) ? value.prompt_tokens_details : {};
  const outputDetails = isJsonObject(value.completion_tokens_details) ? value.completion_tokens_details : {};
  const cached = readCount(inputDetails.cached_tokens) ?? readCount(value.prompt_cache_hit_tokens) ?? 0;
  const written = readCount(inputDetails.cache_write_tokens) ?? 0;
  const reasoning = readCount(outputDetails.reasoning_tokens) ?? 0;
  const output = outputWithReasoning({ input, output: completion, reasoning, total: readCount(value.total_tokens) });
  return createUsage({ input, cached, written, output, reasoning });
}
