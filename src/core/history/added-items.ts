// Items that a client adds to a conversation. @spec endpoints/post-conversations-id-items; docs/wire.md (Added calls)
import { invalidInput } from "../../contract/errors.ts";
import { ITEMS_PER_CALL_MAX } from "../../contract/limits.ts";
import { type InputCallOutput, type InputItem, readInputItems, itemError } from "../reading/input-items.ts";
import { describe } from "../reading/json-value.ts";
import { checkCallPairs, type MintItemId, toStoredItem } from "../turn/user-turn.ts";
import { callBeingAnsweredError, callClosedError } from "../turn/tool-outputs.ts";
import { itemSize, type NewItem, type UnansweredCall } from "./history-item.ts";

/** Reads `items`: an array of at most 20. Throws 400 param `items`. */
export function readAddedItems(value: unknown): readonly InputItem[] {
  if (!Array.isArray(value)) throw invalidInput("items", `items must be an array of items, not ${describe(value)}.`);
  if (value.length > ITEMS_PER_CALL_MAX) {
    throw invalidInput("items", `items may hold at most ${ITEMS_PER_CALL_MAX} items a call, not ${value.length}.`);
  }
  const items = readInputItems(value, { param: "items", rejectedRoles: {} });
  for (const item of items) {
    if (item.type === "item_reference") {
      throw itemError(
        "items",
        item.index,
        item.type,
        "send the item itself: a reference adds nothing to a conversation.",
      );
    }
  }
  return items;
}

/** The call_ids of outputs without their call among the items; they may belong to a call already in the conversation. */
export function callsAnsweredElsewhere(items: readonly InputItem[]): readonly string[] {
  const calls = new Set(items.filter((item) => item.type === "function_call").map((item) => item.callId));
  return items
    .filter((item) => item.type === "function_call_output")
    .map((item) => item.callId)
    .filter((callId) => !calls.has(callId));
}

/**
 * The items to store. A call may come without its output. An output belongs to an earlier call, here or among the conversation's
 * `unansweredCalls`; otherwise a 400 names the item and its missing half, or the response that answers or has closed its call. The first item
 * opens a turn, and so does every user message that does not come between a call and its output: truncation drops whole exchanges only.
 */
export function planAddedItems(
  items: readonly InputItem[],
  unansweredCalls: readonly UnansweredCall[],
  mint: MintItemId,
): readonly NewItem[] {
  checkCallPairs(items, "items", (output) => mayAnswer(output, unansweredCalls));
  const outputs = outputIndexes(items);
  const elsewhere = callsAnsweredElsewhere(items);
  // Index of the last output of all calls so far, including calls already in the conversation.
  let reach = Math.max(-1, ...elsewhere.map((callId) => outputs.get(callId) ?? -1));
  const added: NewItem[] = [];
  for (const input of items) {
    if (input.type === "item_reference") continue;
    const item = toStoredItem(input, mint);
    const at = added.length;
    const opensTurn = at > reach && (at === 0 || (item.type === "message" && item.role === "user"));
    if (item.type === "function_call") reach = Math.max(reach, outputs.get(item.call_id) ?? -1);
    const isExchange = item.type === "function_call" || item.type === "function_call_output";
    added.push({ item, opensTurn, carried: isExchange, size: itemSize(item) });
  }
  return added;
}

/** Whether an output belongs to an unanswered call. Throws 400 when the call is closed or being answered. */
function mayAnswer(output: InputCallOutput, unansweredCalls: readonly UnansweredCall[]): boolean {
  const call = unansweredCalls.find(({ callId }) => callId === output.callId);
  if (call === undefined) return false;
  if (call.closedBy !== null) throw callClosedError("items", output, call.closedBy);
  if (call.answeredBy !== null) throw callBeingAnsweredError("items", output, call.answeredBy);
  return true;
}

function outputIndexes(items: readonly InputItem[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const [place, item] of items.entries()) if (item.type === "function_call_output") places.set(item.callId, place);
  return places;
}
