// Function calls of a model, for every family. @spec resources/output-items
import type { Prompt, PromptItem } from "../../core/turn/prompt.ts";
import type { ProviderPart } from "../../ports/provider.ts";
import { isJsonObject, type JsonObject, parseJson } from "../../base/json.ts";

export type Call = PromptItem & { readonly type: "call" };

/** The call_ids of a prompt. The service finds calls by id, so a new call must not reuse one. */
export function takenCallIds({ items }: Prompt): Set<string> {
  return new Set(items.flatMap((item) => (item.type === "call" ? [item.callId] : [])));
}

/** A prompt's results by call_id, in order. A wire wants each directly after its call, wherever it is in the history. */
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

/** Whether arguments are a JSON object. Checking the last character avoids most parse attempts. */
export function isObjectText(callArguments: string): boolean {
  return callArguments.trimEnd().endsWith("}") && isJsonObject(parseJson(callArguments));
}

/** Arguments that are not a JSON object, wrapped under one key for wires that take objects only. */
export function rawArguments(callArguments: string): JsonObject {
  return { arguments: callArguments };
}

/** Warning for arguments that are not a JSON object. */
export function argumentsWarning(toolName: string): ProviderPart {
  return {
    type: "warning",
    code: "arguments_not_valid",
    message: `The model's arguments for ${toolName} are not a JSON object; they are returned unchanged.`,
    param: null,
  };
}
