// The history as chat messages: calls stand in the assistant message of their answer, results right behind it.
import type { Prompt, PromptItem } from "../../core/turn/prompt.ts";
import { isWhole, rawArguments, resultsByCall } from "../calls.ts";
import { CARRIED_TOOL_NAME } from "../tools.ts";
import { encodeCallId } from "./call-ids.ts";
import type { Labels } from "../labels.ts";
import type { ModelTraits } from "./model-traits.ts";
import { readReasoningState } from "./reasoning-state.ts";
import { createThread, type WireCall, type WireMessage } from "./thread.ts";

export interface EncodeMessagesOptions {
  readonly traits: ModelTraits;
  /** Labels of every tool that the prompt names. */
  readonly toolNames: Labels;
}

type Call = PromptItem & { readonly type: "call" };

/** Encodes instructions and history, oldest first. System words in the midst of a history stand at its head. */
export function encodeMessages({ instructions, items }: Prompt, options: EncodeMessagesOptions): WireMessage[] {
  const { traits } = options;
  const thread = createThread(traits);
  if (instructions !== null) thread.addSystem(instructions);

  const results = resultsByCall(items);
  let index = 0;
  let state: unknown = null;
  while (index < items.length) {
    const item = items[index] as PromptItem;
    index++;
    switch (item.type) {
      case "message":
        if (item.role === "user") thread.addUser(item.text);
        else thread.addSystem(item.text);
        break;
      case "state":
        state = item.state;
        break;
      case "answer":
      case "call": {
        const text = item.type === "answer" ? item.text : "";
        const calls: Call[] = item.type === "call" ? [item] : [];
        for (let next = items[index]; next?.type === "call"; next = items[++index]) calls.push(next);
        // An answer that declined without a word: there is nothing to repeat, and an empty message is an error at some servers.
        if (text === "" && calls.length === 0) break;
        const wireCalls = calls.map((call) => encodeCall(call, options));
        thread.addAnswer(text, wireCalls, readReasoningState(state));
        state = null;
        for (const { callId } of calls) {
          const output = results.get(callId)?.shift();
          if (output !== undefined) thread.addResult(encodeCallId(callId, traits), output);
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
  return thread.close();
}

function encodeCall(call: Call, { traits, toolNames }: EncodeMessagesOptions): WireCall {
  const name = toolNames.toWire(call.name ?? CARRIED_TOOL_NAME);
  return {
    id: encodeCallId(call.callId, traits),
    type: "function",
    function: { name, arguments: encodeArguments(call.arguments) },
  };
}

/**
 * Arguments as they are; those that are no JSON object whole under one key. Servers parse them for their chat templates (vLLM,
 * llama.cpp, SGLang, Ollama) and refuse every later request of a history that holds such a call.
 */
function encodeArguments(text: string): string {
  if (isWhole(text)) return text;
  return text.trim() === "" ? "{}" : JSON.stringify(rawArguments(text));
}
