// What a turn that was cut off used: billed for what was produced. @spec states-and-transitions
import type { Usage } from "../../contract/resources.ts";
import { CHARACTERS_PER_TOKEN } from "../../contract/limits.ts";
import { countCharacters } from "../history/history-item.ts";
import type { Prompt } from "./prompt.ts";
import { NO_USAGE } from "./usage.ts";

/**
 * The usage of a turn that ended before its provider gave the final count: the input as the provider told it, else by four characters
 * a token; the output that was seen. Zeros when nothing was produced and nothing told.
 */
export function produced(prompt: Prompt, outputCharacters: number, told: Usage | null): Usage {
  if (told === null && outputCharacters === 0) return NO_USAGE;
  const seenTokens = Math.ceil(outputCharacters / CHARACTERS_PER_TOKEN);
  const input = told?.input_tokens ?? Math.ceil(sizeOfPrompt(prompt) / CHARACTERS_PER_TOKEN);
  const output = Math.max(told?.output_tokens ?? 0, seenTokens);
  return {
    input_tokens: input,
    input_tokens_details: told?.input_tokens_details ?? NO_USAGE.input_tokens_details,
    output_tokens: output,
    output_tokens_details: told?.output_tokens_details ?? NO_USAGE.output_tokens_details,
    total_tokens: input + output,
  };
}

function sizeOfPrompt(prompt: Prompt): number {
  let size = countCharacters(prompt.instructions ?? "");
  for (const item of prompt.items) {
    if (item.type === "message" || item.type === "answer") size += countCharacters(item.text);
    else if (item.type === "call") size += countCharacters(item.arguments);
    else if (item.type === "result") size += countCharacters(item.output);
  }
  return size;
}
