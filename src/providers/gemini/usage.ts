// Decodes token counts of generateContent. @spec resources/usage
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { readCount } from "../wire/json-shape.ts";
import { readCacheCounts, type TokenCounts, tokenCounts } from "../wire/token-counts.ts";

/** The counts of a chunk, running totals of its request; null if they are missing or impossible. */
export function decodeUsage(value: unknown): TokenCounts | null {
  if (!isJsonObject(value)) return null;
  const thoughts = readCount(value.thoughtsTokenCount);
  const reasoning = thoughts ?? 0;
  const text = readCount(value.candidatesTokenCount);
  const total = readCount(value.totalTokenCount);
  const input = readInput(value, text === null || total === null ? null : total - text - reasoning);
  if (input === null) return null;
  // Some models do not count candidates; output is then the total without the input.
  const output = text === null && total !== null ? Math.max(reasoning, total - input) : (text ?? 0) + reasoning;
  // The prompt includes cached tokens. Writing the implicit cache is free.
  const { cached, unknown } = readCacheCounts(value);
  return tokenCounts({
    input,
    output,
    reasoning: thoughts,
    total,
    cached: Math.min(cached, input),
    written: 0,
    unknown,
  });
}

/** The tokens of the prompt and of tool results; `rest`, the total without the output, if the prompt is not counted. */
function readInput(value: JsonObject, rest: number | null): number | null {
  if (value.promptTokenCount === undefined) return rest !== null && rest >= 0 ? rest : null;
  const prompt = readCount(value.promptTokenCount);
  return prompt === null ? null : prompt + (readCount(value.toolUsePromptTokenCount) ?? 0);
}
