// State of a round with calls, for the turn's later rounds: the model's content with its thought signatures. The
// provider rejects a turn whose calls come back without them.
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { storableText } from "../wire/text-cleaner.ts";

export interface RoundState {
  /** The parts of the content in order. Neighbouring texts are joined, all else is as the provider sent it. */
  readonly parts: readonly JsonObject[];
  /** The call_id of each functionCall part in order. The provider's own id may be missing or in use. */
  readonly callIds: readonly string[];
}

/** The state of a round. */
export function createRoundState(parts: readonly JsonObject[], callIds: readonly string[]): RoundState {
  return { parts, callIds };
}

/** The state of a prompt; null if it is not of this family. */
export function readRoundState(state: unknown): RoundState | null {
  if (!isJsonObject(state) || !Array.isArray(state.parts) || !Array.isArray(state.callIds)) return null;
  const parts: readonly unknown[] = state.parts;
  const callIds: readonly unknown[] = state.callIds;
  if (!parts.every(isJsonObject) || !callIds.every((id) => typeof id === "string")) return null;
  return parts.filter(isCallPart).length === callIds.length ? { parts, callIds } : null;
}

/** Whether a part is a function call. */
export function isCallPart(part: JsonObject): boolean {
  return isJsonObject(part.functionCall);
}

/** The text of the parts, without thoughts, as it was stored. */
export function visibleText(state: RoundState): string {
  let text = "";
  for (const part of state.parts) if (typeof part.text === "string" && part.thought !== true) text += part.text;
  return storableText(text);
}
