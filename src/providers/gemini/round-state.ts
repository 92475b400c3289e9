// What a round with calls leaves for the later rounds of its turn: the model's content as it came. Its parts carry thought
// signatures, and the provider refuses a turn whose calls come back without them.
import { isRecord, type JsonRecord } from "../json-shape.ts";

export interface RoundState {
  /** The parts of the content, in order, each as the provider sent it. */
  readonly parts: readonly JsonRecord[];
  /** Our call_id of each functionCall among the parts, in order: its own id may be missing, or was taken. */
  readonly callIds: readonly string[];
}

/** The state of a round. */
export function createRoundState(parts: readonly JsonRecord[], callIds: readonly string[]): RoundState {
  return { parts, callIds };
}

/** The state that a prompt brings back; null when it is none of this family's. */
export function readRoundState(state: unknown): RoundState | null {
  if (!isRecord(state) || !Array.isArray(state.parts) || !Array.isArray(state.callIds)) return null;
  const parts: readonly unknown[] = state.parts;
  const callIds: readonly unknown[] = state.callIds;
  if (!parts.every(isRecord) || !callIds.every((id) => typeof id === "string")) return null;
  return parts.filter(isCallPart).length === callIds.length ? { parts, callIds } : null;
}

/** Whether a part is a function call. */
export function isCallPart(part: JsonRecord): boolean {
  return isRecord(part.functionCall);
}

/** The text that the parts show: thoughts are none of it. */
export function visibleText(state: RoundState): string {
  let text = "";
  for (const part of state.parts) if (typeof part.text === "string" && part.thought !== true) text += part.text;
  return text.toWellFormed();
}
