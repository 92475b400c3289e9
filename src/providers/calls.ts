// What the families share about the calls that a model makes. @spec resources/items
import type { Prompt, PromptItem } from "../core/turn/prompt.ts";
import type { ProviderPart } from "../ports/provider.ts";
import { isRecord, type JsonRecord, parseJson } from "./json-shape.ts";

/** The call_ids of a prompt: the service finds calls by them, so that one of them again would name two. */
export function takenCallIds({ items }: Prompt): Set<string> {
  return new Set(items.flatMap((item) => (item.type === "call" ? [item.callId] : [])));
}

/** A prompt's results by their calls, in order: each belongs right behind its call, wherever it stands in the history. */
export function resultsByCall(items: readonly PromptItem[]): Map<string, string[]> {
  const results = new Map<string, string[]>();
  for (const item of items) {
    if (item.type !== "result") continue;
    const outputs = results.get(item.callId);
    if (outputs === undefined) results.set(item.callId, [item.output]);
    else outputs.push(item.output);
  }
  return results;
}

/** Whether arguments are a JSON object, as they are to be; a glance at the last character spares most attempts. */
export function isWhole(callArguments: string): boolean {
  return callArguments.trimEnd().endsWith("}") && isRecord(parseJson(callArguments));
}

/** Arguments that are no JSON object, whole under one key: what some model wrote once is told as it is, where a wire takes objects only. */
export function rawArguments(callArguments: string): JsonRecord {
  return { arguments: callArguments };
}

/** Said of arguments that are none. */
export function argumentsWarning(toolName: string): ProviderPart {
  return {
    type: "warning",
    code: "arguments_not_valid",
    message: `The model's arguments for ${toolName} are no JSON object; they are returned as they came.`,
    param: null,
  };
}
