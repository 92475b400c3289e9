// An item of a history, with what the history knows of it besides the item itself. @spec resources/output-items
import { countCharacters } from "../../contract/characters.ts";
import type { ResponseId } from "../../contract/ids.ts";
import type { Item } from "../../contract/items.ts";

/** An item on its way into a history. Its place there, and whose it is, are the store's to give. */
export interface NewItem {
  readonly item: Item;
  /** Whether a turn begins with this item: the only places where truncation may cut. */
  readonly opensTurn: boolean;
  /** Whether a client brought it as part of a carried tool exchange: its tool name is never sent to a model. */
  readonly carried: boolean;
  /** What it counts towards the context window, characters (code points). */
  readonly size: number;
}

export interface HistoryItem extends NewItem {
  /** The response it belongs to, its input too; null when a client added it. */
  readonly responseId: ResponseId | null;
}

/** Longest call_id that counts nothing, characters: ids are no longer, unless somebody puts more than an id into one. */
const CALL_ID_CHARACTERS = 64;

/**
 * What an item counts towards the context window: its text; reasoning counts nothing, it is never sent to a model. A turn reads what
 * its window holds, so nothing long may count nothing: neither many parts without text nor a call_id longer than ids are.
 */
export function itemSize(item: Item): number {
  switch (item.type) {
    case "message": {
      let size = 0;
      for (const part of item.content) size += countCharacters(part.type === "refusal" ? part.refusal : part.text);
      return Math.max(size, item.content.length - 1);
    }
    case "function_call":
      return callSize(item.call_id, item.name, item.arguments);
    case "function_call_output":
      return outputSize(item.call_id, item.output);
    case "reasoning":
      return 0;
    default:
      return item satisfies never;
  }
}

/** What a function call counts. */
export function callSize(callId: string, name: string, callArguments: string): number {
  return countCharacters(name) + countCharacters(callArguments) + idSize(callId);
}

/** What the output of a function call counts. */
export function outputSize(callId: string, output: string): number {
  return countCharacters(output) + idSize(callId);
}

function idSize(callId: string): number {
  return Math.max(0, countCharacters(callId) - CALL_ID_CHARACTERS);
}
