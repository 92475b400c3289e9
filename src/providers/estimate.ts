// Token counts by the rule of thumb of the fit check, for providers that count none. @spec resources/usage
import { countCharacters, estimateTokens } from "../contract/characters.ts";
import type { Usage } from "../contract/resources.ts";
import type { Prompt } from "../core/turn/prompt.ts";
import type { ProviderPart } from "../ports/provider.ts";

/** Characters that a prompt sends: instructions, texts, calls and results; tools are left out, as in the fit check. */
export function countPromptCharacters(prompt: Prompt): number {
  let count = prompt.instructions === null ? 0 : countCharacters(prompt.instructions);
  for (const item of prompt.items) {
    switch (item.type) {
      case "message":
      case "answer":
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

/** Usage of an input and an output known by their characters alone. */
export function estimateUsage(counted: { input: number; output: number; reasoning: number }): Usage {
  const input = estimateTokens(counted.input);
  const reasoning = estimateTokens(counted.reasoning);
  const output = estimateTokens(counted.output) + reasoning;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}

/** What is told in place of counts that the provider does not give: the estimate of a round, and that it is one. */
export function tellEstimate(prompt: Prompt, output: { output: number; reasoning: number }): readonly ProviderPart[] {
  return [
    { type: "usage", usage: estimateUsage({ input: countPromptCharacters(prompt), ...output }) },
    estimateWarning("The provider reported no usage: tokens are estimated at four characters each."),
  ];
}

/** Says that usage, or a part of it, is estimated. */
export function estimateWarning(message: string): ProviderPart {
  return { type: "warning", code: "usage_estimated", message, param: null };
}
