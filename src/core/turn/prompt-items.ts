// A history and its newest input as a model is sent them: calls beside their results, nothing that a model may not see.
// @spec resources/output-items
import type { ResponseId } from "../../contract/ids.ts";
import type { FunctionCall, Item, Message } from "../../contract/items.ts";
import type { PromptItem } from "./prompt.ts";

/** What the prompt needs to know of an item. */
export interface PromptSource {
  readonly item: Item;
  readonly carried: boolean;
  readonly responseId: ResponseId | null;
}

export interface ProviderRound {
  readonly responseId: ResponseId;
  readonly state: unknown;
}

/**
 * Orders items for a model. Each result follows the calls of its answer, wherever it was stored: turns that ran at once may have
 * come between. A call without a result and a result without a call (one of the two was deleted) are left out, and so are reasoning
 * and empty messages. `rounds` are the states of the turn being continued; each stands before its round's first output.
 */
export function toPromptItems(sources: readonly PromptSource[], rounds: readonly ProviderRound[]): PromptItem[] {
  const results = pairResults(sources);
  const waiting = new Map(rounds.map((round) => [round.responseId, round.state]));
  const prompt: PromptItem[] = [];
  let owed: PromptItem[] = [];
  for (const { item, carried, responseId } of sources) {
    // Not of a carried call: that is the input of its round, the state is of its output.
    const isOutput = (item.type === "function_call" && !carried) || isAnswer(item);
    if (isOutput && responseId !== null && waiting.has(responseId)) {
      prompt.push(...owed);
      owed = [];
      prompt.push({ type: "state", state: waiting.get(responseId) });
      waiting.delete(responseId);
    }
    if (item.type === "function_call") {
      const output = results.get(item);
      if (output === undefined) continue;
      const name = carried ? null : item.name;
      prompt.push({ type: "call", callId: item.call_id, name, arguments: item.arguments });
      owed.push({ type: "result", callId: item.call_id, name, output });
      continue;
    }
    if (item.type === "reasoning") continue;
    // Whatever follows a run of calls, their results come first.
    prompt.push(...owed);
    owed = [];
    if (item.type === "message") {
      const message = toPromptMessage(item);
      if (message !== null) prompt.push(message);
    }
  }
  prompt.push(...owed);
  return prompt;
}

/** Each call's first result, looked for up to the next call of the same call_id: some providers use theirs again. */
function pairResults(sources: readonly PromptSource[]): ReadonlyMap<FunctionCall, string> {
  const open = new Map<string, FunctionCall>();
  const results = new Map<FunctionCall, string>();
  for (const { item } of sources) {
    if (item.type === "function_call") open.set(item.call_id, item);
    else if (item.type === "function_call_output") {
      const call = open.get(item.call_id);
      if (call !== undefined && !results.has(call)) results.set(call, item.output);
    }
  }
  return results;
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
