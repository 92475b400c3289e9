// Finds the items that a round became, for families that send the round from its state instead.
import type { PromptItem } from "../../core/response/prompt.ts";
import type { Call } from "./calls.ts";

/** What a round's state has of its output. */
interface RoundOutput {
  /** The ids in the prompt of its calls that are sent. */
  readonly callIds: Iterable<string>;
  /** Its texts, joined. */
  readonly text: string;
}

/**
 * The items from an index on, up to the next round's state or message, that a round became: its calls by id, and its
 * texts.
 */
export function itemsOfRound(round: RoundOutput, items: readonly PromptItem[], start: number) {
  const callIds = new Set(round.callIds);
  let text = round.text;
  const calls = new Map<string, Call>();
  const texts: PromptItem[] = [];
  for (let at = start; at < items.length; at++) {
    const item = items[at] as PromptItem;
    if (item.type === "state" || item.type === "message") break;
    if (item.type === "call" && callIds.has(item.callId)) calls.set(item.callId, item);
    if (item.type !== "assistant" || !text.startsWith(item.text)) continue;
    text = text.slice(item.text.length);
    texts.push(item);
  }
  return { calls, texts };
}
