// Items of a prompt and their sources, for the tests of prompts and of the families.
import type { Item } from "../../src/contract/items.ts";
import type { PromptItem } from "../../src/core/response/prompt.ts";
import type { PromptSource } from "../../src/core/response/prompt-items.ts";

/** An item of a history as a prompt is made from it. */
export const source = (item: Item, more: Partial<PromptSource> = {}): PromptSource => ({
  item,
  carried: false,
  answers: null,
  responseId: null,
  ...more,
});

export const answer = (text: string, isRefusal = false): PromptItem => ({
  type: "assistant",
  text,
  isRefusal,
  phase: null,
});

export const call = (callId: string, name: string | null = "look"): PromptItem => ({
  type: "call",
  callId,
  name,
  arguments: `{"of":"${callId}"}`,
});

export const result = (callId: string, output = `out ${callId}`, name: string | null = "look"): PromptItem => ({
  type: "result",
  callId,
  name,
  output,
});

/**
 * The state of a round, with the ids of its calls that are sent: those of the model, each with that in the prompt if it
 * is another.
 */
export const stateOf = (state: unknown, ...callIds: readonly (string | [string, string])[]): PromptItem => ({
  type: "state",
  state,
  callIds: new Map(callIds.map((id) => (typeof id === "string" ? [id, id] : id))),
});
