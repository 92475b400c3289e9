// Exchanges that a model declined. This provider declines again for as long as one of them is in the prompt, so they are left
// out of it: from the user's message that was declined up to the next one.
import type { PromptItem } from "../../core/turn/prompt.ts";

export interface WithoutDeclined {
  readonly items: readonly PromptItem[];
  /** How many exchanges were left out. */
  readonly leftOut: number;
}

/** The items without the declined exchanges before the newest user message. What a client told the model itself stays. */
export function leaveOutDeclined(items: readonly PromptItem[]): WithoutDeclined {
  if (!items.some(isDeclined)) return { items, leftOut: 0 };
  const kept: PromptItem[] = [];
  let leftOut = 0;
  let exchange: PromptItem[] = [];
  for (const item of items) {
    if (isUserMessage(item)) {
      if (exchange.some(isDeclined)) {
        leftOut++;
        exchange = exchange.filter(isToldByClient);
      }
      for (const each of exchange) kept.push(each);
      exchange = [];
    }
    exchange.push(item);
  }
  // The newest exchange is what is being answered.
  return { items: [...kept, ...exchange], leftOut };
}

function isDeclined(item: PromptItem): boolean {
  return item.type === "answer" && item.declined;
}

function isUserMessage(item: PromptItem): boolean {
  return item.type === "message" && item.role === "user";
}

function isToldByClient(item: PromptItem): boolean {
  return item.type === "message" && item.role !== "user";
}
