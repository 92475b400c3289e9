// A history and its newest input in the form sent to a model: calls next to their results, without items that models
// are not sent.
// @spec resources/output-items
import type { ResponseId } from "../../contract/ids.ts";
import type { FunctionCall, Item, Message } from "../../contract/items.ts";
import type { HistoryItem } from "../history/history-item.ts";
import type { PromptItem } from "./prompt.ts";
import type { RoundState } from "./response.ts";

/** An item with what the prompt needs to know about it. */
export type PromptSource = Pick<HistoryItem, "item" | "carried" | "answers" | "responseId">;

/**
 * Orders items for a model. Each round's results come directly behind its calls, even if items of concurrent turns are
 * stored between them: a model has to see the results last. Left out are calls without a result, results without a call
 * (the other half was deleted), reasoning and empty messages. `rounds` are the states of the turn that is continued;
 * each comes before its round's first output.
 */
export function toPromptItems(
  sources: readonly PromptSource[],
  rounds: readonly Pick<RoundState, "responseId" | "state">[],
): PromptItem[] {
  const results = pairResults(sources);
  const ordered = moveLateRounds(sources, results);
  const ids = distinctIds(ordered, results);
  const states = new Map(rounds.map((round) => [round.responseId, round.state]));
  const callIds = callIdsByRound(ordered, states, ids);
  const prompt: PromptItem[] = [];
  const calls = collectCalls(prompt);
  for (const { item, carried, responseId } of ordered) {
    if (isOutput({ item, carried }) && responseId !== null && states.has(responseId)) {
      calls.close();
      prompt.push({ type: "state", state: states.get(responseId), callIds: callIds.get(responseId) ?? new Map() });
      states.delete(responseId);
    }
    if (item.type === "function_call") {
      const result = results.get(item);
      const callId = ids.get(item);
      if (result === undefined || callId === undefined) continue;
      const of = { callId, name: carried ? null : item.name };
      const call = { type: "call", ...of, arguments: item.arguments } as const;
      calls.add(call, { type: "result", ...of, output: result.output }, responseId);
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

/** The call_ids of the sources that are not in the prompt: their calls are not sent, or are sent with another id. */
export function otherCallIds(sources: readonly PromptSource[], prompt: readonly PromptItem[]): string[] {
  const ids = new Set(sources.flatMap(({ item }) => (item.type === "function_call" ? [item.call_id] : [])));
  for (const item of prompt) if (item.type === "call") ids.delete(item.callId);
  return [...ids];
}

/**
 * The id of each call that is sent: its call_id, or its item's id where an earlier call has the same. Providers that
 * number their calls in each response, concurrent turns and clients repeat them, and wires accept each once.
 */
function distinctIds(
  sources: readonly PromptSource[],
  results: ReadonlyMap<FunctionCall, Result>,
): ReadonlyMap<FunctionCall, string> {
  const ids = new Map<FunctionCall, string>();
  const used = new Set<string>();
  for (const { item } of sources) {
    if (item.type !== "function_call" || !results.has(item)) continue;
    let id = item.call_id;
    // A client may have taken the id of an item as a call_id.
    for (let next: string = item.id; used.has(id); next += "_") id = next;
    used.add(id);
    ids.set(item, id);
  }
  return ids;
}

/** The ids that the calls of each round with a state have in the prompt, by their call_ids. */
function callIdsByRound(
  sources: readonly PromptSource[],
  states: ReadonlyMap<ResponseId, unknown>,
  ids: ReadonlyMap<FunctionCall, string>,
): ReadonlyMap<ResponseId, ReadonlyMap<string, string>> {
  const rounds = new Map<ResponseId, Map<string, string>>();
  if (states.size === 0) return rounds;
  for (const { item, carried, responseId } of sources) {
    if (item.type !== "function_call" || carried || responseId === null || !states.has(responseId)) continue;
    const id = ids.get(item);
    if (id === undefined) continue;
    const round = rounds.get(responseId);
    if (round === undefined) rounds.set(responseId, new Map([[item.call_id, id]]));
    else round.set(item.call_id, id);
  }
  return rounds;
}

/**
 * Collects adjacent calls and their results until it is closed. Texts of the same output, between the calls or after
 * them, move before them: the model made all of its calls before it saw a result.
 */
function collectCalls(prompt: PromptItem[]) {
  let calls: PromptItem[] = [];
  let results: PromptItem[] = [];
  let texts: PromptItem[] = [];
  let caller: ResponseId | null = null;
  const close = () => {
    // One by one: a client may send more items than a function takes arguments.
    for (const list of [texts, calls, results]) for (const item of list) prompt.push(item);
    [calls, results, texts] = [[], [], []];
  };
  return {
    /** Whether the newest call is of that response. */
    areOf: (responseId: ResponseId | null) => calls.length > 0 && responseId !== null && responseId === caller,
    add(call: PromptItem, result: PromptItem, responseId: ResponseId | null) {
      // The calls of two responses are two rounds.
      if (responseId !== caller) close();
      calls.push(call);
      results.push(result);
      caller = responseId;
    },
    addText: (text: PromptItem) => void texts.push(text),
    close,
  };
}

interface Result {
  readonly output: string;
  /** Its index among the sources. */
  readonly at: number;
}

/**
 * The result of each call: the first output that is linked to it. An output without a link belongs to the nearest call
 * before it with its call_id.
 */
function pairResults(sources: readonly Pick<PromptSource, "item" | "answers">[]): ReadonlyMap<FunctionCall, Result> {
  const calls = new Map<string, FunctionCall>();
  const open = new Map<string, FunctionCall>();
  const results = new Map<FunctionCall, Result>();
  for (const [at, { item, answers }] of sources.entries()) {
    if (item.type === "function_call") {
      calls.set(item.id, item);
      open.set(item.call_id, item);
    } else if (item.type === "function_call_output") {
      const call = answers === null ? open.get(item.call_id) : calls.get(answers);
      if (call !== undefined && !results.has(call)) results.set(call, { output: item.output, at });
    }
  }
  return results;
}

/** For the index of each output that is sent, the index of its call. */
export function pairCalls(sources: readonly Pick<PromptSource, "item" | "answers">[]): ReadonlyMap<number, number> {
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
 * Moves a round to the place of its last result, if a concurrent turn is stored between the two. Otherwise that turn
 * would stand between the results and the model's reaction to them.
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

/** Whether another turn is stored between a round and its last result; `places` are those of its results. */
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
 * Whether an item belongs to what another turn says. Items that a client added do not: they keep their places. Neither
 * do outputs: each is moved to its call.
 */
function separatesRounds({ item, responseId }: PromptSource): boolean {
  return responseId !== null && item.type !== "function_call_output";
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
