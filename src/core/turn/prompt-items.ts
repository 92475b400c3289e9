// A history and its newest input as a model is sent them: calls beside their results, nothing that a model may not see.
// @spec resources/output-items
import type { ResponseId } from "../../contract/ids.ts";
import type { FunctionCall, Item, Message } from "../../contract/items.ts";
import type { PromptItem } from "./prompt.ts";
import type { RoundState } from "./turn.ts";

/** What the prompt needs to know of an item. */
export interface PromptSource {
  readonly item: Item;
  readonly carried: boolean;
  readonly responseId: ResponseId | null;
}

/**
 * Orders items for a model. The results of a round stand right behind its calls, wherever they were stored: turns that ran at once may
 * have come between. A prompt so ends with what the model has to answer, never with its own words. A call without a result and a
 * result without a call (one of the two was deleted) are left out, and so are reasoning and empty messages. `rounds` are the states of
 * the turn being continued; each stands before its round's first output.
 */
export function toPromptItems(
  sources: readonly PromptSource[],
  rounds: readonly Pick<RoundState, "responseId" | "state">[],
): PromptItem[] {
  const results = pairResults(sources);
  const waiting = new Map(rounds.map((round) => [round.responseId, round.state]));
  const prompt: PromptItem[] = [];
  const run = createRun(prompt);
  for (const { item, carried, responseId } of moveLateRounds(sources, results)) {
    if (isOutput({ item, carried }) && responseId !== null && waiting.has(responseId)) {
      run.close();
      prompt.push({ type: "state", state: waiting.get(responseId) });
      waiting.delete(responseId);
    }
    if (item.type === "function_call") {
      const result = results.get(item);
      if (result !== undefined) run.addCall(item, carried ? null : item.name, responseId, result.output);
      continue;
    }
    if (item.type === "reasoning") continue;
    const message = item.type === "message" ? toPromptMessage(item) : null;
    if (isAnswer(item) && run.isOf(responseId)) {
      if (message !== null) run.addText(message);
      continue;
    }
    // Whatever else follows a run of calls, their results come first.
    run.close();
    if (message !== null) prompt.push(message);
  }
  run.close();
  return prompt;
}

/** Calls side by side and their results; a text with which their answer ended, after them, stands before them. */
function createRun(prompt: PromptItem[]) {
  let calls: PromptItem[] = [];
  let results: PromptItem[] = [];
  let texts: PromptItem[] = [];
  let caller: ResponseId | null = null;
  const put = (...parts: readonly (readonly PromptItem[])[]) => {
    // One by one: a client may send more of them than a call takes arguments.
    for (const part of parts) for (const item of part) prompt.push(item);
    [calls, results, texts] = [[], [], []];
  };
  return {
    isOf: (responseId: ResponseId | null) => calls.length > 0 && responseId !== null && responseId === caller,
    addCall(call: FunctionCall, name: string | null, responseId: ResponseId | null, output: string) {
      // An answer that goes on with another call did not end with its text.
      if (texts.length > 0) put(calls, results, texts);
      calls.push({ type: "call", callId: call.call_id, name, arguments: call.arguments });
      results.push({ type: "result", callId: call.call_id, name, output });
      caller = responseId;
    },
    addText: (text: PromptItem) => void texts.push(text),
    close: () => put(texts, calls, results),
  };
}

interface Result {
  readonly output: string;
  /** Its place among the sources. */
  readonly at: number;
}

/** Each call's first result, looked for up to the next call of the same call_id: some providers use theirs again. */
function pairResults(sources: readonly PromptSource[]): ReadonlyMap<FunctionCall, Result> {
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

/**
 * The sources with every round whose results came only behind another turn moved to where the last came: the turns ran side by side.
 * Where it was, the other turn would stand between its results and what the model makes of them.
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
    const isParted = sources.slice(end, place).some((source, at) => isOfOthers(source) && !places.has(end + at));
    if (isParted) moved.set(place, round);
    start = end;
  }
  if (moved.size === 0) return sources;
  const leaving = new Set([...moved.values()].flat());
  return sources.flatMap((source, at) => (leaving.has(source) ? [] : [...(moved.get(at) ?? []), source]));
}

/** What a response put out, if that begins here. */
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

/** Whether it parts a round from results behind it: a turn's item, an answer, another's result. Messages that a client added may wait. */
function isOfOthers({ item, responseId }: PromptSource): boolean {
  return responseId !== null || isAnswer(item) || item.type === "function_call_output";
}

/** Whether a model said it. Not a carried call: that is the input of its round. */
function isOutput({ item, carried }: Pick<PromptSource, "item" | "carried">): boolean {
  return (item.type === "function_call" && !carried) || isAnswer(item);
}

function isAnswer(item: Item): boolean {
  return item.type === "message" && item.role === "assistant";
}

function toPromptMessage(message: Message): PromptItem | null {
  const texts: string[] = [];
  let declined = false;
  for (const part of message.content) {
    if (part.type === "refusal") {
      declined = true;
      if (part.refusal !== "") texts.push(part.refusal);
    } else if (part.text !== "") texts.push(part.text);
  }
  const text = texts.join("\n");
  if (message.role === "assistant") {
    if (text === "" && !declined) return null;
    return { type: "answer", text, declined, phase: message.phase ?? null };
  }
  return text === "" ? null : { type: "message", role: message.role, text };
}
