// Arranges messages for chat templates: one system message, at the head. Most servers accept more, but the templates of Qwen, Gemma,
// Mistral and others reject any other arrangement.
import { BRIDGE, CLOSING, OPENING } from "../wire/filler-words.ts";
import type { JsonObject } from "../../base/json.ts";
import type { ModelTraits } from "./model-traits.ts";
import { REASONING_FIELDS } from "./round-state.ts";

export type WireMessage =
  | { readonly role: "system" | "user"; readonly content: string }
  | AssistantMessage
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

/** With fields that the server sent in an earlier round of the same turn. */
interface AssistantMessage extends JsonObject {
  readonly role: "assistant";
  /** Null beside calls alone: servers in front of Anthropic's models make an empty block, which is rejected, of an empty string. */
  readonly content: string | null;
  readonly tool_calls?: readonly WireCall[];
}

/** With fields that the server sent. */
export interface WireCall extends JsonObject {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** Placeholder for reasoning that is not sent, of an earlier turn or another model. An empty string counts as missing. */
const NO_REASONING = { reasoning_content: " " };

/** A thread without a message. */
export function createThread({ takesTurns, wantsReasoning }: ModelTraits) {
  const system: string[] = [];
  const messages: WireMessage[] = [];

  /** Removes the newest message if the next one has the same role; returns its text, to be merged. */
  function takeNeighbour(role: "user" | "assistant"): string {
    const last = messages.at(-1);
    if (!takesTurns || last?.role !== role || (last.role === "assistant" && last.tool_calls !== undefined)) return "";
    messages.pop();
    return `${last.content}\n\n`;
  }

  return {
    addSystem: (text: string) => void system.push(text),
    addUser(text: string): void {
      if (takesTurns && messages.at(-1)?.role === "tool") messages.push({ role: "assistant", content: BRIDGE });
      messages.push({ role: "user", content: takeNeighbour("user") + text });
    },
    /** Adds text and calls of the model, with the fields that the server wants back. */
    addAssistant(text: string, calls: readonly WireCall[], fields: JsonObject): void {
      if (takesTurns && messages.length === 0) messages.push({ role: "user", content: OPENING });
      const whole = takeNeighbour("assistant") + text;
      const content = calls.length > 0 && whole.trim() === "" ? null : whole;
      const toolCalls = calls.length === 0 ? {} : { tool_calls: calls };
      const hasReasoning = REASONING_FIELDS.some((field) => field in fields);
      messages.push({
        role: "assistant",
        content,
        ...toolCalls,
        ...(wantsReasoning && !hasReasoning ? NO_REASONING : {}),
        ...fields,
      });
    },
    addResult(callId: string, output: string): void {
      messages.push({ role: "tool", tool_call_id: callId, content: output });
    },
    /** Ends the thread. */
    close(): WireMessage[] {
      if (takesTurns && messages.at(-1)?.role === "assistant") messages.push({ role: "user", content: CLOSING });
      return system.length === 0 ? messages : [{ role: "system", content: system.join("\n\n") }, ...messages];
    },
  };
}
