// Items that a client adds to a conversation. @spec endpoints/post-conversations-items; docs/wire.md, settled 10
import { invalidInput } from "../../contract/errors.ts";
import { ITEMS_PER_CALL_MAX } from "../../contract/limits.ts";
import { type InputItem, readInputItems, refuseItem } from "../reading/input-items.ts";
import { describe } from "../reading/json-body.ts";
import { checkPairs, type MintItemId, toStoredItem } from "../turn/first-turn.ts";
import { itemSize, type NewItem } from "./history-item.ts";

/** Reads `items`: an array of at most 20. Refuses 400 param `items`. */
export function readAddedItems(value: unknown): readonly InputItem[] {
  if (!Array.isArray(value)) throw invalidInput("items", `items must be an array of items, not ${describe(value)}.`);
  if (value.length > ITEMS_PER_CALL_MAX) {
    throw invalidInput("items", `items may hold at most ${ITEMS_PER_CALL_MAX} items a call, not ${value.length}.`);
  }
  const items = readInputItems(value, { param: "items", refusedRoles: {} });
  for (const item of items) {
    if (item.type === "item_reference") {
      throw refuseItem(
        "items",
        item.index,
        item.type,
        "send the item itself: a reference adds nothing to a conversation.",
      );
    }
  }
  return items;
}

/** The call_ids of outputs whose call is not among the items: they may answer a call already in the conversation. */
export function callsAnsweredElsewhere(items: readonly InputItem[]): readonly string[] {
  const calls = new Set(items.filter((item) => item.type === "function_call").map((item) => item.callId));
  return items
    .filter((item) => item.type === "function_call_output")
    .map((item) => item.callId)
    .filter((callId) => !calls.has(callId));
}

/**
 * The items to store. Calls and outputs come in pairs, or an output answers one of `unansweredCalls` of the conversation; else 400
 * naming the item and its missing half. The first item opens a turn, so that truncation never parts what was added together, unless
 * it answers a call that stands before it.
 */
export function planAddedItems(
  items: readonly InputItem[],
  unansweredCalls: readonly string[],
  mint: MintItemId,
): readonly NewItem[] {
  checkPairs(items, "items", (callId) => unansweredCalls.includes(callId));
  const answersBefore = callsAnsweredElsewhere(items).length > 0;
  const added: NewItem[] = [];
  for (const input of items) {
    if (input.type === "item_reference") continue;
    const item = toStoredItem(input, mint);
    const isExchange = item.type === "function_call" || item.type === "function_call_output";
    added.push({ item, opensTurn: added.length === 0 && !answersBefore, carried: isExchange, size: itemSize(item) });
  }
  return added;
}
