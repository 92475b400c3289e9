// The history as input items; a round of this turn that left its state is sent as it came instead of rebuilt.
import type { MessagePhase } from "../../contract/items.ts";
import type { Prompt, PromptItem } from "../../core/turn/prompt.ts";
import type { Labels } from "../labels.ts";
import { CARRIED_TOOL_NAME } from "../tools.ts";
import { createCallIds } from "./call-ids.ts";
import { readRoundState, type RoundItem } from "./round-state.ts";

export type WireItem = WireMessage | WireCall | WireOutput | RoundItem;

interface WireMessage {
  readonly type: "message";
  readonly role: "user" | "system" | "developer" | "assistant";
  readonly content: string;
  readonly phase?: MessagePhase;
}

interface WireCall {
  readonly type: "function_call";
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}

interface WireOutput {
  readonly type: "function_call_output";
  readonly call_id: string;
  readonly output: string;
}

export interface EncodeItemsOptions {
  /** Whose states may be replayed. */
  readonly upstreamModel: string;
  readonly toolNames: Labels;
}

/** Encodes the history, oldest first. */
export function encodeItems({ items }: Prompt, { upstreamModel, toolNames }: EncodeItemsOptions): WireItem[] {
  const wire: WireItem[] = [];
  const ids = createCallIds();
  const answered = new Set(items.flatMap((item) => (item.type === "result" ? [item.callId] : [])));
  // What the replayed round holds already: its calls by their ids, its messages by their number.
  let replayedCalls = new Set<string>();
  let replayedMessages = 0;

  function encodeCall(callId: string, name: string | null, callArguments: string): WireCall {
    return {
      type: "function_call",
      call_id: ids.begin(callId),
      name: toolNames.toWire(name ?? CARRIED_TOOL_NAME),
      arguments: callArguments,
    };
  }

  for (const item of items) {
    switch (item.type) {
      case "message":
        wire.push({ type: "message", role: item.role, content: item.text });
        break;
      case "answer":
        if (replayedMessages > 0) replayedMessages--;
        // An answer that declined without a word: there is nothing to repeat.
        else if (item.text !== "") wire.push(encodeAnswer(item));
        break;
      case "call":
        if (!replayedCalls.delete(item.callId)) wire.push(encodeCall(item.callId, item.name, item.arguments));
        break;
      case "result":
        wire.push({ type: "function_call_output", call_id: ids.answer(item.callId), output: item.output });
        break;
      case "state": {
        const round = keepAnswered(readRoundState(item.state, upstreamModel), answered);
        replayedCalls = new Set(round.flatMap((one) => (one.type === "function_call" ? [one.call_id] : [])));
        replayedMessages = round.filter((one) => one.type === "message").length;
        for (const one of round) {
          wire.push(one.type === "function_call" ? encodeCall(one.call_id, one.name, one.arguments) : one);
        }
        break;
      }
      default:
        item satisfies never;
    }
  }
  return wire;
}

/**
 * A round without the calls that have no output (cut by max_tool_calls, they were never run), and without the reasoning that led
 * to nothing but them: the API refuses reasoning without what follows it.
 */
function keepAnswered(round: readonly RoundItem[], answered: ReadonlySet<string>): RoundItem[] {
  const kept: RoundItem[] = [];
  let reasoning: RoundItem[] = [];
  for (const item of round) {
    if (item.type === "reasoning") {
      reasoning.push(item);
      continue;
    }
    if (item.type !== "function_call" || answered.has(item.call_id)) kept.push(...reasoning, item);
    reasoning = [];
  }
  return kept;
}

function encodeAnswer({ text, phase }: PromptItem & { type: "answer" }): WireMessage {
  return { type: "message", role: "assistant", content: text, ...(phase === null ? {} : { phase }) };
}
