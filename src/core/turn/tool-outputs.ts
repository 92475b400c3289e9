// Tool outputs, which continue a turn whose calls wait.
// @spec endpoints/post-responses (Tool loop); docs/wire.md (Waiting calls, Tool outputs)
import { countCharacters } from "../../contract/characters.ts";
import { invalidInput, type ApiError } from "../../contract/errors.ts";
import type { ResponseId } from "../../contract/ids.ts";
import type { FunctionCall } from "../../contract/items.ts";
import type { Warning } from "../../contract/resources.ts";
import { type InputCallOutput, itemError, type SentItem } from "../reading/input-items.ts";
import { type MintItemId, SEPARATOR, toStoredItem, type TurnInputItem, userText } from "./user-turn.ts";
import type { ClosedCall, ContinuedTurn } from "./turn.ts";

export interface ToolOutputs {
  readonly items: readonly TurnInputItem[];
  readonly warnings: readonly Warning[];
}

/**
 * Whether an input continues a turn: it holds an output for a waiting call, or an output without its call, which can be
 * meant for nothing else, though perhaps by mistake.
 */
export function continuesTurn(input: string | readonly SentItem[], waitingCalls: readonly FunctionCall[]): boolean {
  if (typeof input === "string") return false;
  const outputs = input.filter((item) => item.type === "function_call_output");
  const waiting = new Set(waitingCalls.map((call) => call.call_id));
  if (outputs.some((output) => waiting.has(output.callId))) return true;
  const resent = resentCalls(input);
  return outputs.some((output) => !resent.has(output.callId));
}

/** The calls of the history that outputs may be meant for. */
export interface KnownCalls {
  readonly waitingCalls: readonly FunctionCall[];
  readonly closedCalls: readonly ClosedCall[];
  /** Whether the history already holds an output for a call. */
  isAnswered(callId: string): boolean;
}

/**
 * The outputs to add. Throws 400 param `input` for an output whose call is not waiting, naming the call, and for
 * outputs of only some waiting calls, naming the missing ones. A resent output whose call has one already is ignored
 * like every other accompanying item; a warning reports how many.
 */
export function readToolOutputs(
  input: readonly SentItem[],
  { waitingCalls, closedCalls, isAnswered }: KnownCalls,
  mint: MintItemId,
): ToolOutputs {
  const waiting = new Set(waitingCalls.map((call) => call.call_id));
  const resent = resentCalls(input);
  const outputs = new Map<string, InputCallOutput>();
  const answersSome = input.some((item) => item.type === "function_call_output" && waiting.has(item.callId));
  for (const item of input) {
    if (item.type !== "function_call_output") continue;
    const quoted = JSON.stringify(item.callId);
    if (!waiting.has(item.callId)) {
      if (resent.has(item.callId) || (answersSome && isAnswered(item.callId))) continue;
      const closed = closedCalls.find(({ callId }) => callId === item.callId);
      if (closed !== undefined) throw callClosedError("input", item, closed.closedBy);
      // A call of another turn may be waiting: concurrent turns of a conversation are continued one by one.
      const where = answersSome ? " beside the others; outputs of another turn need a request of their own" : "";
      throw itemError("input", item, `no function call with call_id ${quoted} is waiting for an output${where}.`);
    }
    if (outputs.has(item.callId)) {
      throw itemError("input", item, `call_id ${quoted} is answered twice.`);
    }
    outputs.set(item.callId, item);
  }
  const missing = waitingCalls.filter((call) => !outputs.has(call.call_id)).map((call) => call.call_id);
  if (missing.length > 0) {
    throw invalidInput(
      "input",
      `Every waiting function call needs its output in the same request; missing: ${missing.join(", ")}.`,
    );
  }
  const items = [...outputs.values()].map((output) => ({ item: toStoredItem(output, mint), carried: false }));
  const texts = textsBehind(input, waiting);
  if (texts.length > 0) {
    const message = { type: "message", index: 0, role: "user", content: texts.join(SEPARATOR), phase: null } as const;
    items.push({ item: toStoredItem(message, mint), carried: false });
  }
  const ignored = input.length - outputs.size - texts.length;
  return { items, warnings: ignored === 0 ? [] : [ignoredItems(ignored)] };
}

/** Throws 400 param `input`, naming call and response, for outputs of calls that a running response already answers. */
export function assertNotBeingAnswered(
  input: string | readonly SentItem[],
  { waitingCalls, answeredBy }: Pick<ContinuedTurn, "waitingCalls" | "answeredBy">,
): void {
  if (answeredBy === null || typeof input === "string") return;
  const waiting = new Set(waitingCalls.map((call) => call.call_id));
  for (const item of input) {
    if (item.type === "function_call_output" && waiting.has(item.callId))
      throw callBeingAnsweredError("input", item, answeredBy);
  }
}

/** The 400 for an output whose call a running response already answers. */
export function callBeingAnsweredError(
  param: "input" | "items",
  output: InputCallOutput,
  answeredBy: ResponseId,
): ApiError {
  const callId = JSON.stringify(output.callId);
  return itemError(
    param,
    output,
    `the response ${answeredBy} is answering call_id ${callId}: wait until it has ended, or cancel it.`,
  );
}

/** The 400 for an output whose call a user turn has closed. */
export function callClosedError(param: "input" | "items", output: InputCallOutput, closedBy: ResponseId): ApiError {
  const callId = JSON.stringify(output.callId);
  return itemError(param, output, `call_id ${callId} is closed: the response ${closedBy} went on without its output.`);
}

/**
 * Throws 400 param `input` for a user turn while calls are being answered or wait for outputs, naming the calls and
 * what a client can do (docs/wire.md, Waiting calls).
 */
export function assertNoCallsWaiting({ waitingCalls, answeredBy, requiresOutputs, head }: ContinuedTurn): void {
  const callIds = waitingCalls.map((call) => call.call_id).join(", ");
  const drop = `send "svc:unanswered_calls": "drop" to go on without them`;
  if (answeredBy !== null) {
    throw invalidInput(
      "input",
      `The response ${answeredBy} is answering the function calls ${callIds}: wait until it has ended, cancel it, or ${drop}.`,
    );
  }
  if (!requiresOutputs || waitingCalls.length === 0) return;
  throw invalidInput(
    "input",
    `Function calls are waiting for their outputs: ${callIds}. Send a function_call_output for each, ${drop}, or delete the response ${head.id}.`,
  );
}

/** Characters of the user messages that join the outputs of these waiting calls. */
export function sizeOfTextsBehind(input: readonly SentItem[], waiting: CallIds): number {
  const texts = textsBehind(input, waiting);
  return texts.reduce((sum, text) => sum + countCharacters(text), SEPARATOR.length * Math.max(0, texts.length - 1));
}

type CallIds = Pick<ReadonlySet<string>, "has">;

/**
 * The user's texts behind the outputs: unlike what stands before them, they are new, and join what the model is sent. A
 * message between outputs is new too, unless a resent call follows it. Throws 400 for another message behind the last
 * output.
 */
function textsBehind(input: readonly SentItem[], waiting: CallIds): readonly string[] {
  const lastOutput = input.findLastIndex(({ type }) => type === "function_call_output");
  const lastCall = input.findLastIndex(({ type }) => type === "function_call");
  const firstAnswer = input.findIndex((item) => item.type === "function_call_output" && waiting.has(item.callId));
  const texts: string[] = [];
  for (const item of input.slice(Math.min(lastOutput, Math.max(firstAnswer, lastCall)) + 1)) {
    if (item.type === "unread") {
      if (item.index > lastOutput) throw item.error;
      continue;
    }
    const text = userText(item);
    if (text !== null) texts.push(text);
  }
  return texts;
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
