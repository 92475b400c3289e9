// Items that a client adds to a conversation. @spec endpoints/post-conversations-id-items; docs/wire.md (Added calls)
import { invalidInput } from "../../contract/errors.ts";
import type { Item } from "../../contract/items.ts";
import { ITEMS_PER_CALL_MAX } from "../../contract/limits.ts";
import { type InputItem, itemError } from "./input-item.ts";
import { readInputItems } from "../reading/input-items.ts";
import { describe } from "../reading/json-value.ts";
import { type MintItemId, toStoredItem } from "../response/user-turn.ts";
import { callBeingAnsweredError, callClosedError } from "../response/tool-outputs.ts";
import { checkCallPairs, type EarlierCalls, linkOutputs, type OpenCalls } from "./call-pairs.ts";
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

/** The call_ids of the items. Calls that the conversation has already may have one of them. */
export function callIdsOf(items: readonly InputItem[]): readonly string[] {
  const callIds = new Set<string>();
  for (const item of items)
    if (item.type === "function_call" || item.type === "function_call_output") callIds.add(item.callId);
  return [...callIds];
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
  const open: OpenCalls = new Map();
  for (const { callId, itemId, answeredBy, closedBy } of unansweredCalls)
    if (answeredBy === null && closedBy === null) open.set(callId, [...(open.get(callId) ?? []), itemId]);
  checkCallPairs(items, "items", earlierCalls(unansweredCalls, open));
  const stored = items.flatMap((item) => (item.type === "item_reference" ? [] : [toStoredItem(item, mint)]));
  return placeInTurns(stored, { opensFirst: true, open });
}

/** The calls of the conversation. Each takes one output. */
function earlierCalls(unansweredCalls: readonly UnansweredCall[], open: OpenCalls): EarlierCalls {
  const taken = new Set<string>();
  const isOpen = (callId: string) => open.has(callId) && !taken.has(callId);
  return {
    isOpen,
    takes(output) {
      const { callId } = output;
      if (isOpen(callId)) {
        if ((open.get(callId) ?? []).length > 1) {
          throw itemError(
            "items",
            output,
            `several function calls with call_id ${JSON.stringify(callId)} have no output: send it to POST /v1/responses with the previous_response_id of the response that made the call.`,
          );
        }
        taken.add(callId);
        return true;
      }
      const call = taken.has(callId) ? undefined : unansweredCalls.find((each) => each.callId === callId);
      if (call === undefined) return false;
      if (call.answeredBy !== null) throw callBeingAnsweredError("items", output, call.answeredBy);
      if (call.closedBy !== null) throw callClosedError("items", output, call.closedBy);
      return false;
    },
  };
}

/** The place at which items are added. */
interface Place {
  /** Whether the first item opens a turn, whatever it is. */
  readonly opensFirst: boolean;
  /** The calls without an output: before the items, and when they are placed, after them. */
  readonly open: OpenCalls;
  /** The calls of outputs that are linked already. */
  readonly links?: ReadonlyMap<string, string>;
}

/** Items with their places in turns: a user message opens one unless it comes between a call and its output. */
export function placeInTurns(items: readonly Item[], { opensFirst, open, links: known }: Place): readonly NewItem[] {
  const links = linkOutputs(items, open, known);
  const answeredAt = new Map<string, number>();
  for (const [at, answers] of links.entries()) if (answers !== null) answeredAt.set(answers, at);
  const ids = new Set(items.map(({ id }) => id));
  // The index of the last output that belongs to a call seen so far.
  let reach = -1;
  for (const [id, at] of answeredAt) if (!ids.has(id)) reach = Math.max(reach, at);
  return items.map((item, at) => {
    const mayOpen = (at === 0 && opensFirst) || (item.type === "message" && item.role === "user");
    const opensTurn = mayOpen && at > reach;
    reach = Math.max(reach, answeredAt.get(item.id) ?? -1);
    const isExchange = item.type === "function_call" || item.type === "function_call_output";
    return { item, opensTurn, carried: isExchange, answers: links[at] ?? null, size: itemSize(item) };
  });
}
