// Items that a client adds to a conversation. @spec endpoints/post-conversations-id-items; docs/wire.md (Added calls)
import { invalidInput } from "../../contract/errors.ts";
import type { Item } from "../../contract/items.ts";
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
      throw itemError("items", item, "send the item itself: a reference adds nothing to a conversation.");
    }
  }
  return items;
}

/**
 * The call_ids of outputs without their call among the items; they may belong to a call already in the conversation.
 */
export function callsAnsweredElsewhere(items: readonly InputItem[]): readonly string[] {
  const calls = new Set(items.filter((item) => item.type === "function_call").map((item) => item.callId));
  return items
    .filter((item) => item.type === "function_call_output")
    .map((item) => item.callId)
    .filter((callId) => !calls.has(callId));
}

/**
 * The items to store. A call may come without its output. An output belongs to an earlier call, here or among the
 * conversation's `unansweredCalls`; otherwise a 400 names the item and its missing half, or the response that answers
 * or has closed its call. The first item opens a turn, and so does every user message that does not come between a call
 * and its output: truncation drops whole exchanges only.
 */
export function planAddedItems(
  items: readonly InputItem[],
  unansweredCalls: readonly UnansweredCall[],
  mint: MintItemId,
): readonly NewItem[] {
  checkCallPairs(items, "items", (output) => mayAnswer(output, unansweredCalls));
  const stored = items.flatMap((item) => (item.type === "item_reference" ? [] : [toStoredItem(item, mint)]));
  return placeInTurns(stored, { opensFirst: true, hasCalls: true });
}

/** The place at which items are added. */
interface Place {
  /** Whether the first item opens a turn, whatever it is. */
  readonly opensFirst: boolean;
  /** Whether an output whose call is not among the items answers one before them. */
  readonly hasCalls: boolean;
}

/** Items with their places in turns: a user message opens one unless it comes between a call and its output. */
export function placeInTurns(items: readonly Item[], { opensFirst, hasCalls }: Place): readonly NewItem[] {
  const { answeredAt, lastElsewhere } = pairCalls(items);
  // Index of the last output of all calls so far.
  let reach = hasCalls ? lastElsewhere : -1;
  return items.map((item, at) => {
    const mayOpen = (at === 0 && opensFirst) || (item.type === "message" && item.role === "user");
    const opensTurn = mayOpen && at > reach;
    reach = Math.max(reach, answeredAt.get(at) ?? -1);
    const isExchange = item.type === "function_call" || item.type === "function_call_output";
    return { item, opensTurn, carried: isExchange, size: itemSize(item) };
  });
}

/**
 * The index of each call's output, which is the next one with its call_id, and of the last output without a call among
 * the items.
 */
function pairCalls(items: readonly Item[]) {
  const answeredAt = new Map<number, number>();
  const nextOutputs = new Map<string, number>();
  let lastElsewhere = -1;
  for (const [at, item] of [...items.entries()].toReversed()) {
    if (item.type === "function_call_output") nextOutputs.set(item.call_id, at);
    if (item.type !== "function_call") continue;
    const output = nextOutputs.get(item.call_id);
    if (output !== undefined) answeredAt.set(at, output);
    nextOutputs.delete(item.call_id);
  }
  for (const at of nextOutputs.values()) lastElsewhere = Math.max(lastElsewhere, at);
  return { answeredAt, lastElsewhere };
}

/** Whether an output belongs to an unanswered call. Throws 400 when the call is closed or being answered. */
function mayAnswer(output: InputCallOutput, unansweredCalls: readonly UnansweredCall[]): boolean {
  const call = unansweredCalls.find(({ callId }) => callId === output.callId);
  if (call === undefined) return false;
  if (call.closedBy !== null) throw callClosedError("items", output, call.closedBy);
  if (call.answeredBy !== null) throw callBeingAnsweredError("items", output, call.answeredBy);
  return true;
}
