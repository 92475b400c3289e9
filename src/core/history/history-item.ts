// An item of a history with its metadata there. @spec resources/output-items
import { countCharacters } from "../../contract/characters.ts";
import type { ResponseId } from "../../contract/ids.ts";
import type { Item, UrlCitation } from "../../contract/items.ts";

/** An item to be added to a history; the store assigns its position and owner. */
export interface NewItem {
  readonly item: Item;
  /** Whether a turn begins with this item; truncation cuts only there. */
  readonly opensTurn: boolean;
  /** Whether it belongs to a tool exchange that a client brought along; its tool name is never sent to a model. */
  readonly carried: boolean;
  /**
   * Of an output: the id of the function_call item that it answers, as call_ids may repeat. Null for other items, and
   * for outputs without a call or from before such links, which answer the call before them by its call_id.
   */
  readonly answers: string | null;
  /** Size towards the context window, characters (code points). */
  readonly size: number;
}

export interface HistoryItem extends NewItem {
  /** The response whose input or output it is; null when a client added it. */
  readonly responseId: ResponseId | null;
}

/** A function call of a conversation that has no output. */
export interface UnansweredCall {
  readonly callId: string;
  /** The id of its item. */
  readonly itemId: string;
  /** The running response that answers it; null: none. */
  readonly answeredBy: ResponseId | null;
  /** The user turn that closed it; null: not closed. */
  readonly closedBy: ResponseId | null;
}

/** Longest call_id that counts nothing, characters: real ids are not longer. */
const CALL_ID_CHARACTERS = 64;

/**
 * Size of an item towards the context window: its text. Reasoning counts nothing, because it is never sent to a model.
 * A turn reads everything in its window, so nothing long may count as nothing: many parts without text, citations
 * longer than their text and oversized call_ids count too.
 */
export function itemSize(item: Item): number {
  switch (item.type) {
    case "message": {
      let size = 0;
      let cited = 0;
      for (const part of item.content) {
        size += countCharacters(part.type === "refusal" ? part.refusal : part.text);
        if (part.type === "output_text") cited += citedSize(part.annotations);
      }
      return Math.max(size, item.content.length - 1, cited);
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

/** URLs and titles, plus one for each citation. */
function citedSize(citations: readonly UrlCitation[]): number {
  let size = citations.length;
  for (const { url, title } of citations) size += countCharacters(url) + countCharacters(title);
  return size;
}

/** Size of a function call. */
export function callSize(callId: string, name: string, callArguments: string): number {
  return countCharacters(name) + countCharacters(callArguments) + idSize(callId);
}

/** Size of a function call's output. */
export function outputSize(callId: string, output: string): number {
  return countCharacters(output) + idSize(callId);
}

function idSize(callId: string): number {
  return Math.max(0, countCharacters(callId) - CALL_ID_CHARACTERS);
}
