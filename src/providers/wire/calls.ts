// Function calls of a model, for every family. @spec resources/output-items
import type { Prompt, PromptItem } from "../../core/response/prompt.ts";
import type { ProviderPart } from "../../ports/provider.ts";
import { isJsonObject, type JsonObject, parseJson } from "../../base/json.ts";

export type Call = PromptItem & { readonly type: "call" };

/** The call_ids of a history. A new call must not reuse one: a client could not tell which of the two it answers. */
export function takenCallIds({ items, otherCallIds }: Prompt): Set<string> {
  const taken = new Set(otherCallIds);
  for (const item of items) if (item.type === "call") taken.add(item.callId);
  return taken;
}

/** A prompt's results by call_id. A wire wants each directly after its call, wherever it is in the history. */
export function resultsByCall(items: readonly PromptItem[]): ReadonlyMap<string, string> {
  return new Map(items.flatMap((item) => (item.type === "result" ? [[item.callId, item.output]] : [])));
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
