// Encodes the history as input items. A round of this turn with a state is replayed as received.
import type { MessagePhase } from "../../contract/items.ts";
import type { Prompt, PromptItem } from "../../core/response/prompt.ts";
import { callIdsUpTo, createCallIds } from "../wire/call-ids.ts";
import type { WireNames } from "../wire/wire-names.ts";
import { CARRIED_TOOL_NAME } from "../wire/tools.ts";
import { readRoundState, type RoundCall, type RoundItem } from "./round-state.ts";

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
  /** Only states of this model are replayed. */
  readonly upstreamModel: string;
  readonly toolNames: WireNames;
}

/** Longest call_id that the API accepts, characters; a longer one is a 400 (`string_above_max_length`). */
const CALL_IDS = callIdsUpTo(64);

/** Encodes the history, oldest first. */
export function encodeItems({ items }: Prompt, { upstreamModel, toolNames }: EncodeItemsOptions): WireItem[] {
  const wire: WireItem[] = [];
  const ids = createCallIds(items, CALL_IDS);
  // The content of the replayed round, to be skipped below: its calls by id, its messages by number.
  let replayedCalls = new Set<string>();
  let replayedMessages = 0;

  function encodeCall(callId: string, name: string | null, callArguments: string): WireCall {
    return {
      type: "function_call",
      call_id: ids.get(callId) ?? callId,
      name: toolNames.toWire(name ?? CARRIED_TOOL_NAME),
      arguments: callArguments,
    };
  }

  for (const item of items) {
    switch (item.type) {
      case "message":
        wire.push({ type: "message", role: item.role, content: item.text });
        break;
      case "assistant":
        if (replayedMessages > 0) replayedMessages--;
        // A refusal without text has nothing to send.
        else if (item.text !== "") wire.push(encodeAssistant(item));
        break;
      case "call":
        if (!replayedCalls.delete(item.callId)) wire.push(encodeCall(item.callId, item.name, item.arguments));
        break;
      case "result":
        wire.push({ type: "function_call_output", call_id: ids.get(item.callId) ?? item.callId, output: item.output });
        break;
      case "state": {
        const round = keepSent(readRoundState(item.state, upstreamModel), item.callIds);
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
 * The round with the ids that its calls have in the prompt, without calls that have no output (beyond max_tool_calls,
 * never run) and without reasoning that only led to those: the API rejects reasoning without the item that follows it.
 */
function keepSent(round: readonly RoundItem[], callIds: ReadonlyMap<string, string>): RoundItem[] {
  const kept: RoundItem[] = [];
  let reasoning: RoundItem[] = [];
  for (const item of round) {
    if (item.type === "reasoning") {
      reasoning.push(item);
      continue;
    }
    const sent = item.type === "function_call" ? withId(item, callIds.get(item.call_id)) : item;
    if (sent !== null) kept.push(...reasoning, sent);
    reasoning = [];
  }
  return kept;
}

function withId(call: RoundCall, callId: string | undefined): RoundCall | null {
  return callId === undefined ? null : { ...call, call_id: callId };
}

function encodeAssistant({ text, phase }: PromptItem & { type: "assistant" }): WireMessage {
  return { type: "message", role: "assistant", content: text, ...(phase === null ? {} : { phase }) };
}
