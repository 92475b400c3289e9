// Pairs the outputs that a client sends with their calls. A call_id may repeat once its call has its output.
// @spec endpoints/post-responses (How input becomes a turn); docs/wire.md (Added calls)
import type { ApiError } from "../../contract/errors.ts";
import type { Item } from "../../contract/items.ts";
import { type InputCall, type InputCallOutput, type InputItem, itemError } from "./input-item.ts";

/** Calls before the items of a request, which their outputs may answer. */
export interface EarlierCalls {
  /** Whether a call with that id takes an output. */
  isOpen(callId: string): boolean;
  /** Whether the output belongs to such a call. Throws 400 when the call takes no output now. */
  takes(output: InputCallOutput): boolean;
}

const NO_CALLS: EarlierCalls = { isOpen: () => false, takes: () => false };

/**
 * Rows "function_call with its matching function_call_output" and the one below: an output belongs to the call before
 * it that has its call_id and no output. Throws 400 `param` for half a pair, naming the missing half, for an output
 * before its call, which no model can interpret, and for a call whose id is that of a call without output. Among
 * `items` a call may come alone: its output may follow later.
 */
export function checkCallPairs(
  items: readonly InputItem[],
  param: "input" | "items",
  earlier: EarlierCalls = NO_CALLS,
): void {
  const open = new Map<string, InputCall>();
  const answered = new Set<string>();
  const lastCalls = new Map<string, InputCall>();
  for (const item of items) if (item.type === "function_call") lastCalls.set(item.callId, item);
  const faults: { readonly index: number; readonly error: () => ApiError }[] = [];
  const report = ({ index }: InputItem, error: () => ApiError) => void faults.push({ index, error });
  for (const item of items) {
    if (item.type === "function_call") {
      if (open.has(item.callId)) report(item, () => usedError(param, item));
      open.set(item.callId, item);
    } else if (item.type === "function_call_output") {
      if (!open.delete(item.callId) && !earlier.takes(item)) {
        const found = { isAnswered: answered.has(item.callId), call: lastCalls.get(item.callId) };
        report(item, () => withoutCallError(param, item, found));
      }
      answered.add(item.callId);
    }
  }
  for (const call of open.values()) {
    if (param === "input") report(call, () => withoutOutputError(call));
    else if (earlier.isOpen(call.callId)) report(call, () => usedError(param, call));
  }
  const [first] = faults.toSorted((one, other) => one.index - other.index);
  if (first !== undefined) throw first.error();
}

function withoutOutputError(call: InputCall): ApiError {
  return itemError("input", call, `the function_call_output with call_id ${quote(call.callId)} is missing.`);
}

function usedError(param: "input" | "items", item: InputCall): ApiError {
  const callId = quote(item.callId);
  return itemError(
    param,
    item,
    `call_id ${callId} is already used by another function_call, which has no function_call_output yet.`,
  );
}

function withoutCallError(
  param: "input" | "items",
  item: InputCallOutput,
  { isAnswered, call }: { readonly isAnswered: boolean; readonly call: InputCall | undefined },
): ApiError {
  const callId = quote(item.callId);
  if (isAnswered) return itemError(param, item, `call_id ${callId} is already used by another function_call_output.`);
  if (call !== undefined) {
    return itemError(
      param,
      item,
      `the function_call with call_id ${callId} comes after it: a call must precede its output.`,
    );
  }
  const orAnswered = param === "items" ? ", or has its output already" : "";
  return itemError(param, item, `the function_call with call_id ${callId} is missing${orAnswered}.`);
}

function quote(callId: string): string {
  return JSON.stringify(callId);
}

/** The items of calls without an output by call_id, oldest first. */
export type OpenCalls = Map<string, string[]>;

/**
 * The call of each output, by its item's id: the newest call before it that has its call_id and no output. Null for an
 * output without a call, and for other items. `open` has the calls without an output before the items; the function
 * leaves in it those after them. `known` has the calls of outputs that are linked already.
 */
export function linkOutputs(
  items: readonly Item[],
  open: OpenCalls = new Map(),
  known: ReadonlyMap<string, string> = new Map(),
): (string | null)[] {
  return items.map((item) => {
    if (item.type === "function_call") {
      const calls = open.get(item.call_id);
      if (calls === undefined) open.set(item.call_id, [item.id]);
      else calls.push(item.id);
    }
    if (item.type !== "function_call_output") return null;
    const link = known.get(item.id);
    if (link === undefined) return open.get(item.call_id)?.pop() ?? null;
    const at = open.get(item.call_id)?.indexOf(link) ?? -1;
    if (at >= 0) open.get(item.call_id)?.splice(at, 1);
    return link;
  });
}
