// Messages as chat templates take them: one system message, at the head. Most servers take more; the templates of Qwen, Gemma, Mistral
// and others refuse every request that is laid out otherwise.
import type { JsonRecord } from "../json-shape.ts";

export type WireMessage =
  | { readonly role: "system" | "user"; readonly content: string }
  | AssistantMessage
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

interface AssistantMessage {
  readonly role: "assistant";
  readonly content: string;
  readonly tool_calls?: readonly WireCall[];
  /** Reasoning of the same turn's earlier round, under the name by which the server itself gave it. */
  readonly reasoning?: string;
  readonly reasoning_content?: string;
}

export interface WireCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface Thread {
  addSystem(text: string): void;
  addUser(text: string): void;
  /** What the model said and called; `reasoning` are the keys of what it thought before. */
  addAnswer(text: string, calls: readonly WireCall[], reasoning: JsonRecord): void;
  addResult(callId: string, output: string): void;
  /** Ends the thread. */
  close(): WireMessage[];
}

/** A thread without a message. */
export function createThread(): Thread {
  const system: string[] = [];
  const messages: WireMessage[] = [];
  return {
    addSystem: (text) => void system.push(text),
    addUser: (text) => void messages.push({ role: "user", content: text }),
    addAnswer(text, calls, reasoning) {
      const toolCalls = calls.length === 0 ? {} : { tool_calls: calls };
      messages.push({ role: "assistant", content: text, ...toolCalls, ...reasoning });
    },
    addResult: (callId, output) => void messages.push({ role: "tool", tool_call_id: callId, content: output }),
    close: () => (system.length === 0 ? messages : [{ role: "system", content: system.join("\n\n") }, ...messages]),
  };
}
