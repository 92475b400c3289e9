// Estimated token counts, by the rule of the fit check, for providers that report none. @spec resources/usage
import { countCharacters, estimateTokens } from "../../contract/characters.ts";
import type { Usage } from "../../contract/resources.ts";
import { createUsage } from "../../contract/usage.ts";
import type { Prompt } from "../../core/response/prompt.ts";
import type { ProviderPart } from "../../ports/provider.ts";

/** Characters in a prompt: instructions, texts, calls and results, without tools, as in the fit check. */
export function countPromptCharacters(prompt: Prompt): number {
  if (prompt.droppedCharacters !== undefined) return prompt.droppedCharacters;
  let count = prompt.instructions === null ? 0 : countCharacters(prompt.instructions);
  for (const item of prompt.items) {
    switch (item.type) {
      case "message":
      case "assistant":
        count += countCharacters(item.text);
        break;
      case "call":
        count += countCharacters(item.name ?? "") + countCharacters(item.arguments);
        break;
      case "result":
        count += countCharacters(item.output);
        break;
      case "state":
        break;
      default:
        item satisfies never;
    }
  }
  return count;
}

/** Usage estimated from character counts. */
export function estimateUsage(counted: { input: number; output: number; reasoning: number }): Usage {
  const reasoning = estimateTokens(counted.reasoning);
  const output = estimateTokens(counted.output) + reasoning;
  return createUsage({ input: estimateTokens(counted.input), output, reasoning });
}

/** Warning that all of the usage is estimated. */
export const ALL_ESTIMATED = estimateWarning(
  "The provider reported no usage: tokens are estimated at four characters each.",
);

/** Warning that a part of the usage is estimated. */
export const PARTLY_ESTIMATED = estimateWarning(
  "The provider did not report its full usage: the missing counts are estimated at four characters per token.",
);

function estimateWarning(message: string): ProviderPart {
  return { type: "warning", code: "usage_estimated", message, param: null };
}
