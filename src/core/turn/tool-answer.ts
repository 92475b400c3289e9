// Tool outputs that answer a waiting turn. @spec endpoints/post-responses (Tool loop); docs/wire.md, rules 5 and 6
import { invalidInput } from "../../contract/errors.ts";
import type { FunctionCall } from "../../contract/items.ts";
import type { Warning } from "../../contract/resources.ts";
import { type InputCallOutput, refuseItem, type SentItem } from "../reading/input-items.ts";
import { type MintItemId, toStoredItem, type TurnInputItem } from "./first-turn.ts";

export interface ToolAnswer {
  readonly items: readonly TurnInputItem[];
  readonly warnings: readonly Warning[];
}

/**
 * Whether a later turn's input answers waiting calls: it holds an output for one of them, or outputs without their calls (which
 * can be nothing but an answer, though perhaps a wrong one).
 */
export function isToolAnswer(input: string | readonly SentItem[], waitingCalls: readonly FunctionCall[]): boolean {
  if (typeof input === "string") return false;
  const outputs = input.filter((item) => item.type === "function_call_output");
  if (outputs.some((output) => waitingCalls.some((call) => call.call_id === output.callId))) return true;
  const resent = resentCalls(input);
  return outputs.some((output) => !resent.has(output.callId));
}

/**
 * The outputs of a tool answer. Refuses 400 param `input`: an output for a call that is not waiting, naming it; outputs for some
 * waiting calls only, naming the missing ones. `isAnswered` tells whether the history already holds an output for a call: such a
 * resent one, like every other item that comes along, is ignored and said in a warning.
 */
export function readToolAnswer(
  input: readonly SentItem[],
  waitingCalls: readonly FunctionCall[],
  isAnswered: (callId: string) => boolean,
  mint: MintItemId,
): ToolAnswer {
  const waiting = new Set(waitingCalls.map((call) => call.call_id));
  const resent = resentCalls(input);
  const answers = new Map<string, InputCallOutput>();
  const answersSome = input.some((item) => item.type === "function_call_output" && waiting.has(item.callId));
  for (const item of input) {
    if (item.type !== "function_call_output") continue;
    const quoted = JSON.stringify(item.callId);
    if (!waiting.has(item.callId)) {
      if (resent.has(item.callId) || (answersSome && isAnswered(item.callId))) continue;
      // A call of another turn may well be waiting: turns that ran side by side in a conversation are answered one by one.
      const where = answersSome ? " beside the others; outputs of another turn need a request of their own" : "";
      throw refuseItem(
        "input",
        item.index,
        item.type,
        `no function call with call_id ${quoted} is waiting for an output${where}.`,
      );
    }
    if (answers.has(item.callId)) {
      throw refuseItem("input", item.index, item.type, `call_id ${quoted} is answered twice.`);
    }
    answers.set(item.callId, item);
  }
  const missing = waitingCalls.filter((call) => !answers.has(call.call_id)).map((call) => call.call_id);
  if (missing.length > 0) {
    throw invalidInput(
      "input",
      `Every waiting function call needs its output in the same request; missing: ${missing.join(", ")}.`,
    );
  }
  const items = [...answers.values()].map((output) => ({ item: toStoredItem(output, mint), carried: false }));
  const ignored = input.length - items.length;
  return { items, warnings: ignored === 0 ? [] : [ignoredItems(ignored)] };
}

/** Refuses a user turn while calls wait: 400 param `input`, naming them and the two ways on (docs/wire.md, rule 5). */
export function refuseWhileWaiting(waitingCalls: readonly FunctionCall[], responseId: string): void {
  if (waitingCalls.length === 0) return;
  const callIds = waitingCalls.map((call) => call.call_id).join(", ");
  throw invalidInput(
    "input",
    `Function calls are waiting for their outputs: ${callIds}. Send a function_call_output for each, or delete the response ${responseId}.`,
  );
}

function resentCalls(input: readonly SentItem[]): ReadonlySet<string> {
  return new Set(input.filter((item) => item.type === "function_call").map((item) => item.callId));
}

function ignoredItems(count: number): Warning {
  return {
    code: "input_items_ignored",
    message: `${count} input ${count === 1 ? "item" : "items"} sent along with tool outputs ${count === 1 ? "was" : "were"} ignored: the service keeps the history.`,
    param: "input",
  };
}
