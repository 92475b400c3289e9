// The tokens that a response reserves for its input: no less than a provider counts in the texts that are sent.
// docs/decisions/money.md (The bound on tokens)
import type { Prompt, PromptItem } from "../response/prompt.ts";
import { WEIGHT_PER_TOKEN, weighText } from "./token-bound.ts";

/** What wraps each item behind the first: role and delimiters; a call and its result have an id besides. */
const ITEM_TOKENS = 4;
const CALL_TOKENS = 24;
/** What providers add to the instructions for tools, and for a schema of the output. */
const TOOLS_TOKENS = 600;
const FORMAT_TOKENS = 300;

/** Tokens of input that the first hold of a response pays for. */
export function boundInput({ instructions, items, tools, format }: Prompt): number {
  let weight = instructions === null ? 0 : weighText(instructions);
  let tokens = 0;
  for (const [index, item] of items.entries()) {
    weight += weighItem(item);
    if (index > 0) tokens += item.type === "call" || item.type === "result" ? CALL_TOKENS : ITEM_TOKENS;
  }
  if (tools.length > 0) {
    weight += weighText(JSON.stringify(tools));
    tokens += TOOLS_TOKENS;
  }
  if (format?.type === "json_schema") {
    weight += weighText(JSON.stringify(format.schema));
    tokens += FORMAT_TOKENS;
  }
  return tokens + Math.round(weight / WEIGHT_PER_TOKEN);
}

function weighItem(item: PromptItem): number {
  switch (item.type) {
    case "message":
    case "assistant":
      return weighText(item.text);
    case "call":
      return weighText(item.name ?? "") + weighText(item.arguments);
    case "result":
      return weighText(item.name ?? "") + weighText(item.output);
    case "state":
      return item.state === null ? 0 : weighText(JSON.stringify(item.state));
    default:
      return item satisfies never;
  }
}
