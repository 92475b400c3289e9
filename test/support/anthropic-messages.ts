// Items of a prompt and the messages that Anthropic is sent for them, for tests.
import type { PromptItem } from "../../src/core/response/prompt.ts";
import { createWireNames } from "../../src/providers/wire/wire-names.ts";
import { CARRIED_TOOL_NAME } from "../../src/providers/wire/tools.ts";
import { encodeMessages } from "../../src/providers/anthropic/messages.ts";
import { createRoundState, type RoundBlock } from "../../src/providers/anthropic/round-state.ts";
import { stateOf } from "./prompt-items.ts";

export const encodeAll = (items: readonly PromptItem[], takesSystemMessages = true) =>
  encodeMessages(items, {
    takesSystemMessages,
    toolNames: createWireNames([
      CARRIED_TOOL_NAME,
      ...items.flatMap((item) => (item.type === "call" && item.name !== null ? [item.name] : [])),
    ]),
  });

export const encode = (...items: PromptItem[]) => encodeAll(items).messages;

export const state = (...blocks: RoundBlock[]): PromptItem =>
  stateOf(createRoundState(blocks), ...blocks.flatMap((block) => (block.type === "call" ? [block.callId] : [])));

export const user = (...content: unknown[]) => ({ role: "user", content });

export const assistant = (...content: unknown[]) => ({ role: "assistant", content });

export const text = (words: string) => ({ type: "text", text: words });

export const use = (id: string, name = "look", of = id) => ({ type: "tool_use", id, name, input: { of } });

export const used = (id: string, content = `out ${id}`) => ({ type: "tool_result", tool_use_id: id, content });

export const thinking = (words: string) => ({
  type: "thinking" as const,
  thinking: words,
  signature: `signed ${words}`,
});

export const called = (callId: string) => ({ type: "call" as const, callId });
