// Reasoning that a server gave before a tool call goes back to it in the same turn's next round: reasoning models lose their
// thread without it, and one large provider refuses the request. The server hears it under the name it used itself.
import { isRecord } from "../json-shape.ts";

export const REASONING_FIELDS = ["reasoning_content", "reasoning"] as const;
export type ReasoningField = (typeof REASONING_FIELDS)[number];

/** The state that a round with calls leaves for the next. */
export function createReasoningState(field: ReasoningField, text: string): unknown {
  return { [field]: text };
}

/** The keys to add to the message of a round; none when its state is not one of ours. */
export function readReasoningState(state: unknown): Partial<Record<ReasoningField, string>> {
  if (!isRecord(state)) return {};
  for (const field of REASONING_FIELDS) {
    const text = state[field];
    if (typeof text === "string") return { [field]: text };
  }
  return {};
}
