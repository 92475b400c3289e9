// Encodes the history as chat messages: calls are in the assistant message of their response, results directly after
// it.
import type { Prompt, PromptItem } from "../../core/response/prompt.ts";
import { type Call, isObjectText, rawArguments, resultsByCall } from "../wire/calls.ts";
import { CARRIED_TOOL_NAME } from "../wire/tools.ts";
import { type CallIdRule, callIdsUpTo, createCallIds } from "../wire/call-ids.ts";
import type { WireNames } from "../wire/wire-names.ts";
import type { ModelTraits } from "./model-traits.ts";
import { readCallFields, readMessageFields } from "./round-state.ts";
import { createThread, type WireCall, type WireMessage } from "./thread.ts";

export interface EncodeMessagesOptions {
  readonly traits: ModelTraits;
  /** Has every tool that the prompt names. */
  readonly toolNames: WireNames;
}

/** OpenAI's own chat completions and compatible servers accept 40 characters. */
const CALL_IDS = callIdsUpTo(40);
const SHORT_CALL_IDS: CallIdRule = {
  isValid: (callId) => /^[a-zA-Z0-9]{9}$/.test(callId),
  fromDigest: (digest) => digest.replace(/[-_]/g, "").slice(0, 9),
};

/** Encodes instructions and history, oldest first. System messages within the history are moved to its head. */
export function encodeMessages({ instructions, items }: Prompt, options: EncodeMessagesOptions): WireMessage[] {
  const { traits } = options;
  const thread = createThread(traits);
  if (instructions !== null) thread.addSystem(instructions);

  const results = resultsByCall(items);
  const ids = createCallIds(items, traits.wantsShortCallIds ? SHORT_CALL_IDS : CALL_IDS);
  let index = 0;
  /** The state of the round whose message follows: it has the fields of a message, each call has its own. */
  let state: unknown = null;
  /** The call_ids that the model gave the calls of the round. */
  let modelIds: ReadonlyMap<string, string> = new Map();
  while (index < items.length) {
    const item = items[index] as PromptItem;
    index++;
    switch (item.type) {
      case "message":
        state = null;
        if (item.role === "user") thread.addUser(item.text);
        else thread.addSystem(item.text);
        break;
      case "state":
        state = item.state;
        modelIds = new Map([...item.callIds].map(([modelId, callId]) => [callId, modelId]));
        break;
      case "assistant":
      case "call": {
        let text = item.type === "assistant" ? item.text : "";
        // The server's message had the texts of its round in one.
        if (state !== null && item.type === "assistant")
          for (let next = items[index]; next?.type === "assistant"; next = items[++index]) text += next.text;
        const calls: Call[] = item.type === "call" ? [item] : [];
        for (let next = items[index]; next?.type === "call"; next = items[++index]) calls.push(next);
        // A refusal without text, or blank text: some servers reject an empty message.
        if (text.trim() === "" && calls.length === 0) break;
        const wireCalls = calls.map((call) => ({
          ...encodeCall(call, ids.get(call.callId) ?? call.callId, options),
          ...readCallFields(state, modelIds.get(call.callId) ?? ""),
        }));
        thread.addAssistant(text, wireCalls, readMessageFields(state, traits.replaysReasoning));
        state = null;
        for (const { callId } of calls) {
          const output = results.get(callId);
          if (output !== undefined) thread.addResult(ids.get(callId) ?? callId, output);
        }
        break;
      }
      case "result":
        // Sent with its call.
        break;
      default:
        item satisfies never;
    }
  }
  return thread.close();
}

function encodeCall(call: Call, id: string, { toolNames }: EncodeMessagesOptions): WireCall {
  const name = toolNames.toWire(call.name ?? CARRIED_TOOL_NAME);
  return {
    id,
    type: "function",
    function: { name, arguments: encodeArguments(call.arguments) },
  };
}

/**
 * Arguments unchanged, or wrapped under one key if they are not a JSON object: servers parse them for their chat
 * templates (vLLM, llama.cpp, SGLang, Ollama) and would reject every later request with such a call in its history.
 */
function encodeArguments(text: string): string {
  if (isObjectText(text)) return text;
  return text.trim() === "" ? "{}" : JSON.stringify(rawArguments(text));
}
