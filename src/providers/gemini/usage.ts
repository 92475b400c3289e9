// Decodes token counts of generateContent. @spec resources/usage
import type { Usage } from "../../contract/resources.ts";
import { createUsage } from "../../contract/usage.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { readCount } from "../wire/json-shape.ts";

/** The usage of a chunk, a running total of its request; null if it is missing or impossible. */
export function decodeUsage(value: unknown): Usage | null {
  if (!isJsonObject(value)) return null;
  const reasoning = readCount(value.thoughtsTokenCount) ?? 0;
  const text = readCount(value.candidatesTokenCount);
  const total = readCount(value.totalTokenCount);
  const input = readInput(value, text === null || total === null ? null : total - text - reasoning);
  if (input === null) return null;
  // Some models do not count candidates; output is then the total without the input.
  const output = text === null && total !== null ? Math.max(reasoning, total - input) : (text ?? 0) + reasoning;
  // The prompt includes cached tokens. Writing the implicit cache is free.
  return createUsage({ input, cached: readCount(value.cachedContentTokenCount) ?? 0, output, reasoning });
}

/** The tokens of the prompt and of tool results; `rest`, the total without the output, if the prompt is not counted. */
function readInput(value: JsonObject, rest: number | null): number | null {
  if (value.promptTokenCount === undefined) return rest !== null && rest >= 0 ? rest : null;
  const prompt = readCount(value.promptTokenCount);
  return prompt === null ? null : prompt + (readCount(value.toolUsePromptTokenCount) ?? 0);
}
