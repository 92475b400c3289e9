// Items of a prompt and the contents that Gemini is sent for them, for tests.
import type { PromptItem } from "../../src/core/response/prompt.ts";
import { samplePrompt } from "./provider-samples.ts";
import { createWireNames } from "../../src/providers/wire/wire-names.ts";
import { toolNamesOf } from "../../src/providers/wire/tools.ts";
import { encodeMessages } from "../../src/providers/gemini/messages.ts";
import { traitsOf } from "../../src/providers/gemini/model-traits.ts";
import { createRoundState } from "../../src/providers/gemini/round-state.ts";
import { stateOf } from "./prompt-items.ts";

export function encode(items: readonly PromptItem[], instructions: string | null = null, model = "gemini-3.8-flash") {
  const prompt = samplePrompt(items, { instructions });
  return encodeMessages(prompt, { traits: traitsOf(model), toolNames: createWireNames(toolNamesOf(prompt)) });
}

export const contentsOf = (...items: readonly PromptItem[]) => encode(items).contents;

export const result = (callId: string, name: string | null = "look"): PromptItem => ({
  type: "result",
  callId,
  name,
  output: `out ${callId}`,
});

export const state = (parts: readonly Record<string, unknown>[], ...callIds: string[]): PromptItem =>
  // The state as it is read back from the store.
  stateOf(JSON.parse(JSON.stringify(createRoundState(parts, callIds))), ...callIds);

export const user = (...texts: string[]) => ({ role: "user", parts: texts.map((text) => ({ text })) });

export const model = (...parts: unknown[]) => ({ role: "model", parts });

export const text = (words: string) => ({ text: words });

export const wireCall = (id: string, name = "look") => ({
  functionCall: { id, name, args: { of: id } },
  thoughtSignature: "skip_thought_signature_validator",
});

export const responses = (...ids: string[]) => ({
  role: "user",
  parts: ids.map((id) => ({ functionResponse: { id, name: "look", response: { output: `out ${id}` } } })),
});
