// Tool outputs, which continue a turn whose calls wait.
// @spec endpoints/post-responses (Tool loop); docs/wire.md (Waiting calls, Tool outputs)
import { countCharacters } from "../../contract/characters.ts";
import { invalidInput, type ApiError } from "../../contract/errors.ts";
import type { ResponseId } from "../../contract/ids.ts";
import type { Warning } from "../../contract/resources.ts";
import { type InputCallOutput, itemError, type SentItem } from "../history/input-item.ts";
import { type MintItemId, SEPARATOR, toStoredItem, type TurnInputItem, userText } from "./user-turn.ts";
import type { ContinuedHistory } from "./planning.ts";
import type { AmbiguousCall, SettledCall, WaitingCalls } from "./response.ts";

export interface ToolOutputs {
  readonly items: readonly TurnInputItem[];
  readonly warnings: readonly Warning[];
}

/** The calls of a history that outputs may be meant for. */
export interface KnownCalls {
  /** The responses whose calls wait, the one that is continued first. */
  readonly waiting: readonly WaitingCalls[];
  readonly settledCalls: readonly SettledCall[];
  readonly ambiguousCalls: readonly AmbiguousCall[];
}

/** A waiting call, and the response that made it. */
interface WaitingCall {
  readonly call: WaitingCalls["calls"][number];
  readonly of: WaitingCalls;
}

/** The calls that wait at the end of a history, those of the response that is continued first. */
export function knownCalls(
  history: Pick<ContinuedHistory, "latest" | "others" | "settledCalls" | "ambiguousCalls"> | null,
): KnownCalls {
  const latest = history?.latest ?? null;
  if (history === null || latest === null) return { waiting: [], settledCalls: [], ambiguousCalls: [] };
  const { head, waitingCalls: calls, answeredBy, requiresOutputs } = latest;
  const ids = { madeBy: head.id, turnId: head.turnId, firstRound: latest.firstRound };
  const continued = { ...ids, calls, answeredBy, requiresOutputs };
  return { ...history, waiting: [continued, ...history.others] };
}

/**
 * Whether an input continues a turn: it holds an output for a waiting call, or an output without its call, which can be
 * meant for nothing else, though perhaps by mistake.
 */
export function continuesTurn(input: string | readonly SentItem[], known: KnownCalls): boolean {
  if (typeof input === "string") return false;
  const callIds = new Set([...callsByOutput(known).keys(), ...known.ambiguousCalls.map(({ callId }) => callId)]);
  const resent = resentCalls(input);
  return input.some(
    (item) => item.type === "function_call_output" && (callIds.has(item.callId) || !resent.has(item.callId)),
  );
}

/** The responses whose calls an input answers; one after the other, as a turn continues the first. */
export function listAnswered(input: string | readonly SentItem[], known: KnownCalls): readonly WaitingCalls[] {
  if (typeof input === "string") return [];
  const calls = callsByOutput(known);
  const answered = new Set(
    input.map((item) => (item.type === "function_call_output" ? calls.get(item.callId)?.of : undefined)),
  );
  return known.waiting.filter((each) => answered.has(each));
}

/**
 * The call_ids of outputs that are meant for no known call and come without their own, each once: they are resent
 * history if all calls of the history with that id have outputs, else a mistake.
 */
export function listResent(input: string | readonly SentItem[], known: KnownCalls): string[] {
  if (typeof input === "string") return [];
  const settled = known.settledCalls.map(({ callId }) => callId);
  const other = new Set([...callsByOutput(known).keys(), ...settled, ...resentCalls(input)]);
  const outputs = input.flatMap((item) => (item.type === "function_call_output" ? [item.callId] : []));
  return [...new Set(outputs).difference(other)];
}

/** The waiting calls by the call_ids that outputs may answer: each belongs to the first response that has it. */
export function callsByOutput({ waiting, settledCalls, ambiguousCalls }: KnownCalls): Map<string, WaitingCall> {
  const calls = new Map<string, WaitingCall>();
  for (const of of waiting)
    for (const call of of.calls) if (!calls.has(call.call_id)) calls.set(call.call_id, { call, of });
  for (const { callId } of [...settledCalls, ...ambiguousCalls]) calls.delete(callId);
  return calls;
}

/**
 * The outputs to add. Throws 400 param `input` for an output whose call is not waiting, naming the call, for one that
 * several calls wait for, and for outputs of only some waiting calls of a response, naming the missing ones. A resent
 * output is ignored like every other accompanying item if its call has one already, or all calls that it may be meant
 * for (`answeredCallIds`); a warning reports how many.
 */
export function readToolOutputs(
  input: readonly SentItem[],
  known: KnownCalls,
  answeredCallIds: ReadonlySet<string>,
  mint: MintItemId,
): ToolOutputs {
  const calls = callsByOutput(known);
  const resent = resentCalls(input);
  const isOfEarlier = outputsOfEarlier(input);
  const outputs = new Map<WaitingCall["call"], InputCallOutput>();
  const answered = listAnswered(input, known);
  const settled = new Map(known.settledCalls.map((call) => [call.callId, call]));
  for (const item of input) {
    if (item.type !== "function_call_output") continue;
    const { callId } = item;
    const waiting = calls.get(callId);
    if (waiting !== undefined) {
      if (isOfEarlier(item)) continue;
      if (outputs.has(waiting.call))
        throw itemError("input", item, `call_id ${JSON.stringify(callId)} is answered twice.`);
      outputs.set(waiting.call, item);
      continue;
    }
    const ambiguous = known.ambiguousCalls.find((each) => each.callId === callId);
    if (ambiguous !== undefined) throw ambiguousError(item, ambiguous);
    const hasOutput = settled.get(callId)?.isAnswered ?? answeredCallIds.has(callId);
    if (!resent.has(callId) && !(answered.length > 0 && hasOutput)) throw notWaitingError(item, known);
  }
  const asked = answered.length > 0 ? answered : known.waiting.slice(0, 1);
  const missing = asked.flatMap((of) => of.calls.filter((call) => !outputs.has(call)));
  if (missing.length > 0) {
    throw invalidInput(
      "input",
      `Every waiting function call needs its output in the same request; missing: ${listed(missing.map((call) => call.call_id))}.`,
    );
  }
  const items: TurnInputItem[] = [...outputs].map(([call, output]) => ({
    item: toStoredItem(output, mint),
    carried: false,
    answers: call.id,
  }));
  const texts = textsBehind(input, calls);
  if (texts.length > 0) {
    const message = { type: "message", index: 0, role: "user", content: texts.join(SEPARATOR), phase: null } as const;
    items.push({ item: toStoredItem(message, mint), carried: false, answers: null });
  }
  const ignored = input.length - outputs.size - texts.length;
  return { items, warnings: ignored === 0 ? [] : [ignoredItems(ignored)] };
}

function ambiguousError(item: InputCallOutput, { callId, madeBy }: AmbiguousCall): ApiError {
  return itemError(
    "input",
    item,
    `the function calls with call_id ${JSON.stringify(callId)} of several responses wait for an output: ` +
      `name the response as previous_response_id, one of ${madeBy.join(", ")}.`,
  );
}

function notWaitingError(item: InputCallOutput, { settledCalls }: KnownCalls): ApiError {
  const settled = settledCalls.find(({ callId }) => callId === item.callId);
  if (settled !== undefined && settled.closedBy !== null) return callClosedError("input", item, settled.closedBy);
  const callId = JSON.stringify(item.callId);
  return itemError("input", item, `no function call with call_id ${callId} is waiting for an output.`);
}

/** Throws 400 param `input`, naming call and response, for outputs of calls that a running response already answers. */
export function assertNotBeingAnswered(input: string | readonly SentItem[], known: KnownCalls): void {
  if (typeof input === "string") return;
  const calls = callsByOutput(known);
  for (const item of input) {
    if (item.type !== "function_call_output") continue;
    const answering = calls.get(item.callId)?.of.answeredBy ?? null;
    if (answering !== null) throw callBeingAnsweredError("input", item, answering);
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

/** The most calls that an error names. */
const NAMED_MAX = 20;

/**
 * Throws 400 param `input` for a user turn while calls are being answered or wait for outputs, naming the calls of all
 * turns and what a client can do (docs/wire.md, Waiting calls).
 */
export function assertNoCallsWaiting(waiting: readonly WaitingCalls[]): void {
  const drop = `send "svc:unanswered_calls": "drop" to continue without them`;
  const answered = waiting.find(({ answeredBy }) => answeredBy !== null);
  if (answered !== undefined) {
    throw invalidInput(
      "input",
      `The response ${answered.answeredBy} is answering the function calls ${nameCalls([answered])}: wait until it has ended, cancel it, or ${drop}.`,
    );
  }
  const required = waiting.filter(({ calls, requiresOutputs }) => requiresOutputs && calls.length > 0);
  if (required.length === 0) return;
  const responses = listed(required.map(({ madeBy }) => madeBy));
  const those = required.length === 1 ? "response" : "responses";
  throw invalidInput(
    "input",
    `Function calls are waiting for their outputs: ${nameCalls(required)}. Send a function_call_output for each, ${drop}, or delete the ${those} ${responses}.`,
  );
}

/** The calls; with their responses if there are several. */
function nameCalls(waiting: readonly WaitingCalls[]): string {
  const one = waiting.length === 1;
  return listed(
    waiting.flatMap(({ calls, madeBy }) => calls.map((call) => call.call_id + (one ? "" : ` (of ${madeBy})`))),
  );
}

function listed(names: readonly string[]): string {
  const rest = names.length - NAMED_MAX;
  return names.slice(0, NAMED_MAX).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

/**
 * Whether an output in a resent history belongs to an earlier call than the one that waits, with the same call_id: a
 * call with that id follows it, and a further output.
 */
function outputsOfEarlier(input: readonly SentItem[]): (output: InputCallOutput) => boolean {
  const lastCalls = new Map<string, number>();
  const lastOutputs = new Map<string, number>();
  for (const item of input) {
    if (item.type === "function_call") lastCalls.set(item.callId, item.index);
    else if (item.type === "function_call_output") lastOutputs.set(item.callId, item.index);
  }
  return ({ callId, index }) => {
    const lastCall = lastCalls.get(callId) ?? -1;
    return index < lastCall && (lastOutputs.get(callId) ?? -1) > lastCall;
  };
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
  const calls = input.filter((item) => item.type === "function_call" || item.type === "unread");
  return new Set(calls.flatMap(({ callId }) => callId ?? []));
}

function ignoredItems(count: number): Warning {
  return {
    code: "input_items_ignored",
    message: `${count} input ${count === 1 ? "item" : "items"} sent along with tool outputs ${count === 1 ? "was" : "were"} ignored: the service keeps the history.`,
    param: "input",
  };
}
