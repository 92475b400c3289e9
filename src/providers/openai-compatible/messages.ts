// The history as chat messages: calls stand in the assistant message of their answer, results right behind it.
import type { Prompt, PromptItem } from "../../core/turn/prompt.ts";
import { isWhole, resultsByCall } from "../calls.ts";
import { CARRIED_TOOL_NAME } from "../tools.ts";
import { readReasoningState } from "./reasoning-state.ts";

export type WireMessage =
  | { readonly role: "system" | "user"; readonly content: string }
  | AssistantMessage
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

interface AssistantMessage {
  readonly role: "assistant";
  content: string;
  tool_calls?: WireCall[];
  /** Reasoning of the same turn's earlier round, under the name by which the server itself gave it. */
  reasoning?: string;
  reasoning_content?: string;
}

interface WireCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** Encodes instructions and history, oldest first. */
export function encodeMessages({ instructions, items }: Prompt): WireMessage[] {
  const messages: WireMessage[] = [];
  if (instructions !== null) messages.push({ role: "system", content: instructions });

  const results = resultsByCall(items);
  let index = 0;
  let state: unknown = null;
  while (index < items.length) {
    const item = items[index] as PromptItem;
    index++;
    switch (item.type) {
      case "message":
        messages.push({ role: item.role === "user" ? "user" : "system", content: item.text });
        break;
      case "state":
        state = item.state;
        break;
      case "answer":
      case "call": {
        const message: AssistantMessage = { role: "assistant", content: item.type === "answer" ? item.text : "" };
        const calls: WireCall[] = item.type === "call" ? [encodeCall(item)] : [];
        while (index < items.length) {
          const next = items[index] as PromptItem;
          if (next.type !== "call") break;
          calls.push(encodeCall(next));
          index++;
        }
        if (calls.length > 0) message.tool_calls = calls;
        // An answer that declined without a word: there is nothing to repeat, and an empty message is an error at some servers.
        else if (message.content === "") break;
        Object.assign(message, readReasoningState(state));
        state = null;
        messages.push(message);
        for (const call of calls) {
          const output = results.get(call.id)?.shift();
          if (output !== undefined) messages.push({ role: "tool", tool_call_id: call.id, content: output });
        }
        break;
      }
      case "result":
        // Placed with its call.
        break;
      default:
        item satisfies never;
    }
  }
  return messages;
}

function encodeCall(call: PromptItem & { type: "call" }): WireCall {
  return {
    id: call.callId,
    type: "function",
    function: { name: call.name ?? CARRIED_TOOL_NAME, arguments: encodeArguments(call.arguments) },
  };
}

/**
 * Arguments as they are; those that are no JSON object whole under one key. Servers parse them for their chat templates (vLLM,
 * llama.cpp, SGLang, Ollama) and refuse every later request of a history that holds such a call.
 */
function encodeArguments(text: string): string {
  if (isWhole(text)) return text;
  return text.trim() === "" ? "{}" : JSON.stringify({ arguments: text });
}
