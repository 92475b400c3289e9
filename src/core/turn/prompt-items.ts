// A history and its newest input in the form sent to a model: calls next to their results, without items that models
// are not sent.
// @spec resources/output-items
import type { ResponseId } from "../../contract/ids.ts";
import type { FunctionCall, Item, Message } from "../../contract/items.ts";
import type { PromptItem } from "./prompt.ts";
import type { RoundState } from "./turn.ts";

/** An item with what the prompt needs to know about it. */
export interface PromptSource {
  readonly item: Item;
  readonly carried: boolean;
  readonly responseId: ResponseId | null;
}

/**
 * Orders items for a model. The results of a round follow its calls directly, wherever they are stored: concurrent
 * turns may have come between. So a prompt ends with what the model has to answer, never with its own words. A call
 * without a result and a result without a call (one of the two was deleted) are left out, and so are reasoning and
 * empty messages. `rounds` are the states of the turn being continued; each precedes its round's first output.
 */
export function toPromptItems(
  sources: readonly PromptSource[],
  rounds: readonly Pick<RoundState, "responseId" | "state">[],
): PromptItem[] {
  const results = pairResults(sources);
  const states = new Map(rounds.map((round) => [round.responseId, round.state]));
  const prompt: PromptItem[] = [];
  const calls = collectCalls(prompt);
  for (const { item, carried, responseId } of moveLateRounds(sources, results)) {
    if (isOutput({ item, carried }) && responseId !== null && states.has(responseId)) {
      calls.close();
      prompt.push({ type: "state", state: states.get(responseId) });
      states.delete(responseId);
    }
    if (item.type === "function_call") {
      const result = results.get(item);
      if (result !== undefined) calls.add(item, carried ? null : item.name, responseId, result.output);
      continue;
    }
    if (item.type === "reasoning") continue;
    const message = item.type === "message" ? toPromptMessage(item) : null;
    if (isAssistantMessage(item) && calls.areOf(responseId)) {
      if (message !== null) calls.addText(message);
      continue;
    }
    // Results come before anything else that follows adjacent calls.
    calls.close();
    if (message !== null) prompt.push(message);
  }
  calls.close();
  return prompt;
}

/**
 * Collects adjacent calls and their results until it is closed. A text that ended the same output, after the calls,
 * moves before them.
 */
function collectCalls(prompt: PromptItem[]) {
  let calls: PromptItem[] = [];
  let results: PromptItem[] = [];
  let texts: PromptItem[] = [];
  let caller: ResponseId | null = null;
  const flush = (...lists: readonly (readonly PromptItem[])[]) => {
    // One by one: a client may send more items than a function takes arguments.
    for (const list of lists) for (const item of list) prompt.push(item);
    [calls, results, texts] = [[], [], []];
  };
  return {
    /** Whether the newest call is of that response. */
    areOf: (responseId: ResponseId | null) => calls.length > 0 && responseId !== null && responseId === caller,
    add(call: FunctionCall, name: string | null, responseId: ResponseId | null, output: string) {
      // An output that continues with another call did not end with its text.
      if (texts.length > 0) flush(calls, results, texts);
      calls.push({ type: "call", callId: call.call_id, name, arguments: call.arguments });
      results.push({ type: "result", callId: call.call_id, name, output });
      caller = responseId;
    },
    addText: (text: PromptItem) => void texts.push(text),
    close: () => flush(texts, calls, results),
  };
}

interface Result {
  readonly output: string;
  /** Its index among the sources. */
  readonly at: number;
}

/** Each call's first result, searched up to the next call with the same call_id: some providers reuse ids. */
function pairResults(sources: readonly Pick<PromptSource, "item">[]): ReadonlyMap<FunctionCall, Result> {
  const open = new Map<string, FunctionCall>();
  const results = new Map<FunctionCall, Result>();
  for (const [at, { item }] of sources.entries()) {
    if (item.type === "function_call") open.set(item.call_id, item);
    else if (item.type === "function_call_output") {
      const call = open.get(item.call_id);
      if (call !== undefined && !results.has(call)) results.set(call, { output: item.output, at });
    }
  }
  return results;
}

/** For the index of each output that is sent, the index of its call. */
export function pairCalls(sources: readonly Pick<PromptSource, "item">[]): ReadonlyMap<number, number> {
  const callOf = new Map<number, number>();
  const results = pairResults(sources);
  if (results.size === 0) return callOf;
  for (const [at, { item }] of sources.entries()) {
    const result = item.type === "function_call" ? results.get(item) : undefined;
    if (result !== undefined) callOf.set(result.at, at);
  }
  return callOf;
}

/**
 * Moves every round whose results came only after another turn to the place of its last result: the turns were
 * concurrent. Otherwise the other turn would come between the results and the model's reaction to them.
 */
function moveLateRounds(
  sources: readonly PromptSource[],
  results: ReadonlyMap<FunctionCall, Result>,
): readonly PromptSource[] {
  if (results.size === 0) return sources;
  const moved = new Map<number, PromptSource[]>();
  let start = 0;
  while (start < sources.length) {
    const round = outputAt(sources, start);
    const end = start + Math.max(1, round.length);
    const places = new Set(
      round.flatMap(({ item }) => (item.type === "function_call" ? (results.get(item)?.at ?? []) : [])),
    );
    let place = 0;
    for (const at of places) place = Math.max(place, at);
    if (isSplit(sources, { start: end, end: place }, places)) moved.set(place, round);
    start = end;
  }
  if (moved.size === 0) return sources;
  const leaving = new Set([...moved.values()].flat());
  return sources.flatMap((source, at) => (leaving.has(source) ? [] : [...(moved.get(at) ?? []), source]));
}

/** Whether anything but the results in these places separates a round from the last of them. */
function isSplit(
  sources: readonly PromptSource[],
  { start, end }: { readonly start: number; readonly end: number },
  places: ReadonlySet<number>,
): boolean {
  for (let at = start; at < end; at++) if (separatesRounds(sources[at] as PromptSource) && !places.has(at)) return true;
  return false;
}

/** The output of a response, if it begins here. */
function outputAt(sources: readonly PromptSource[], start: number): PromptSource[] {
  const responseId = sources[start]?.responseId ?? null;
  const round: PromptSource[] = [];
  if (responseId === null) return round;
  for (let at = start; at < sources.length; at++) {
    const source = sources[at] as PromptSource;
    if (source.responseId !== responseId || !(isOutput(source) || source.item.type === "reasoning")) break;
    round.push(source);
  }
  return round;
}

/**
 * Whether it separates a round from later results: an item of a turn, a model's message, another's result; not a
 * message that a client added.
 */
function separatesRounds({ item, responseId }: PromptSource): boolean {
  return responseId !== null || isAssistantMessage(item) || item.type === "function_call_output";
}

/** Whether a model produced it. A carried call is input. */
function isOutput({ item, carried }: Pick<PromptSource, "item" | "carried">): boolean {
  return (item.type === "function_call" && !carried) || isAssistantMessage(item);
}

function isAssistantMessage(item: Item): boolean {
  return item.type === "message" && item.role === "assistant";
}

function toPromptMessage(message: Message): PromptItem | null {
  const texts: string[] = [];
  let isRefusal = false;
  for (const part of message.content) {
    if (part.type === "refusal") {
      isRefusal = true;
      if (part.refusal !== "") texts.push(part.refusal);
    } else if (part.text !== "") texts.push(part.text);
  }
  const text = texts.join("\n");
  if (message.role === "assistant") {
    if (text === "" && !isRefusal) return null;
    return { type: "assistant", text, isRefusal, phase: message.phase ?? null };
  }
  return text === "" ? null : { type: "message", role: message.role, text };
}
