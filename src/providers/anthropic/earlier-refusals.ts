// Leaves exchanges that ended in a refusal out of the prompt: Claude refuses again while one of them is in it. An
// exchange is a user message with everything up to the next one; a message behind the results of calls goes along with
// them and begins none.
import type { PromptItem } from "../../core/response/prompt.ts";

export interface WithoutRefusals {
  readonly items: readonly PromptItem[];
  /** The number of exchanges left out. */
  readonly leftOut: number;
}

/**
 * The items without the exchanges that ended in a refusal, before the newest exchange. Their system and developer
 * messages stay.
 */
export function leaveOutRefusals(items: readonly PromptItem[]): WithoutRefusals {
  if (!items.some(isRefusal)) return { items, leftOut: 0 };
  const kept: PromptItem[] = [];
  let leftOut = 0;
  let exchange: PromptItem[] = [];
  let areResultsNewest = false;
  for (const item of items) {
    if (item.type !== "message") areResultsNewest = item.type === "result";
    else if (item.role === "user" && !areResultsNewest) {
      if (exchange.some(isRefusal)) {
        leftOut++;
        exchange = exchange.filter(isInstruction);
      }
      for (const each of exchange) kept.push(each);
      exchange = [];
    }
    exchange.push(item);
  }
  // The newest exchange is the one that the model answers now.
  return { items: [...kept, ...exchange], leftOut };
}

function isRefusal(item: PromptItem): boolean {
  return item.type === "assistant" && item.isRefusal;
}

function isInstruction(item: PromptItem): boolean {
  return item.type === "message" && item.role !== "user";
}
