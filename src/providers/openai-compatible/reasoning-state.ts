// Reasoning before a tool call is sent back in the turn's next round if the model needs it: some models perform worse without it, and
// some servers reject the request. It is sent in the field in which it was received.
import { isJsonObject } from "../../base/json.ts";

export const REASONING_FIELDS = ["reasoning_content", "reasoning"] as const;
export type ReasoningField = (typeof REASONING_FIELDS)[number];

/** The state of a round with calls, for the next round. */
export function createReasoningState(field: ReasoningField, text: string): unknown {
  return { [field]: text };
}

/** The fields to add to the message of a round; none if the state is from another family. */
export function readReasoningState(state: unknown): Partial<Record<ReasoningField, string>> {
  if (!isJsonObject(state)) return {};
  for (const field of REASONING_FIELDS) {
    const text = state[field];
    if (typeof text === "string") return { [field]: text };
  }
  return {};
}
