// Builds output items, and the events that describe them, from the parts of a model's output.
//
//   (nothing open) --text/refusal--> message open --other kind--> message closed
//   (nothing open) --call_started--> call open    --call_finished--> call closed      several calls may be open at once
//   reasoning: added and done at once
//   message_started: closes an open message; the next one has its phase
//
// @spec events; payloads and orders in docs/wire.md (Event payloads, Event sequences)
import type { ResponseEvent } from "../../contract/events.ts";
import type { ItemId } from "../../contract/ids.ts";
import type { FunctionCall, ItemStatus, Message, MessagePhase, OutputItem, UrlCitation } from "../../contract/items.ts";
import { GrowingText } from "../../base/growing-text.ts";
import type { OutputPart } from "./output-part.ts";
import type { MintItemId } from "./user-turn.ts";

/** The most items, content parts and annotations of one output, counted together: far more than any model emits. */
export const PIECES_MAX = 5_000;

/** Thrown by a part that would be one piece too many; the output before it stays. */
export class TooManyPieces extends Error {
  override readonly name = "TooManyPieces";
}

export interface OutputBuilder {
  /** Adds one part; the events it causes are emitted before this returns. Throws TooManyPieces. */
  accept(part: OutputPart): void;
  /** Closes open items: `completed`, or `incomplete` when the response was cut short. Returns the output in order. */
  close(status: Exclude<ItemStatus, "in_progress">): OutputItem[];
  /** Tool calls beyond the limit, which are left out of the output. */
  callsDropped(): number;
  /** Whether there is any output: from then on the provider call is never retried. */
  hasOutput(): boolean;
}

/** The open part of a message; its wire object is created when it closes. */
interface OpenPart {
  readonly type: "output_text" | "refusal";
  readonly text: GrowingText;
  readonly annotations: UrlCitation[];
}

interface OpenMessage {
  readonly id: ItemId;
  readonly outputIndex: number;
  /** The item's `phase` key; empty without a phase. */
  readonly phase: Pick<Message, "phase">;
  readonly content: Message["content"];
  part: OpenPart | null;
}

interface UnfinishedCall {
  readonly id: ItemId;
  readonly outputIndex: number;
  readonly callId: string;
  readonly name: string;
  readonly arguments: GrowingText;
}

/** Creates the builder of one response. `callsMax` is its tool call limit; `emit` receives the events in wire order. */
export function createOutputBuilder(
  mint: MintItemId,
  callsMax: number,
  emit: (event: ResponseEvent) => void,
): OutputBuilder {
  const output: OutputItem[] = [];
  const calls = new Map<number, UnfinishedCall>();
  const droppedIndexes = new Set<number>();
  let message: OpenMessage | null = null;
  let nextPhase: MessagePhase | null = null;
  let nextIndex = 0;
  let callsMade = 0;
  let pieces = 0;

  function addPieces(count: number): void {
    pieces += count;
    if (pieces > PIECES_MAX) throw new TooManyPieces();
  }

  function openMessage(): OpenMessage {
    addPieces(1);
    const phase = nextPhase === null ? {} : { phase: nextPhase };
    const opened: OpenMessage = { id: mint("message"), outputIndex: nextIndex++, phase, content: [], part: null };
    emit({
      type: "response.output_item.added",
      output_index: opened.outputIndex,
      item: { type: "message", id: opened.id, role: "assistant", status: "in_progress", content: [], ...phase },
    });
    message = opened;
    return opened;
  }

  function openPart(within: OpenMessage, type: OpenPart["type"]): OpenPart {
    if (within.part !== null) closePart(within, within.part);
    addPieces(1);
    const part: OpenPart = { type, text: new GrowingText(), annotations: [] };
    emit({ type: "response.content_part.added", ...placeOf(within), part: toWirePart(part, "") });
    within.part = part;
    return part;
  }

  function closePart(within: OpenMessage, part: OpenPart): void {
    const place = placeOf(within);
    const text = part.text.whole();
    const wirePart = toWirePart(part, text);
    if (wirePart.type === "output_text") {
      emit({ type: "response.output_text.done", ...place, text, logprobs: [] });
    } else {
      emit({ type: "response.refusal.done", ...place, refusal: text });
    }
    emit({ type: "response.content_part.done", ...place, part: wirePart });
    within.content.push(wirePart);
    within.part = null;
  }

  /** Closes the open message, if any, and drops an announced phase that was not used. */
  function closeMessage(status: ItemStatus): void {
    nextPhase = null;
    if (message === null) return;
    const { id, outputIndex, content, phase } = message;
    if (message.part !== null) closePart(message, message.part);
    finish(outputIndex, { type: "message", id, role: "assistant", status, content, ...phase });
    message = null;
  }

  function startMessage(phase: MessagePhase | null): void {
    closeMessage("completed");
    nextPhase = phase;
  }

  function closeCall(call: UnfinishedCall, status: ItemStatus): void {
    const place = { item_id: call.id, output_index: call.outputIndex };
    // A call without arguments gets an empty object, unless it was cut short before its arguments arrived.
    if (call.arguments.isEmpty) {
      const delta = status === "completed" ? "{}" : "";
      call.arguments.add(delta);
      emit({ type: "response.function_call_arguments.delta", ...place, delta });
    }
    const callArguments = call.arguments.whole();
    emit({ type: "response.function_call_arguments.done", ...place, arguments: callArguments });
    const item: FunctionCall = {
      type: "function_call",
      id: call.id,
      call_id: call.callId,
      name: call.name,
      arguments: callArguments,
      status,
    };
    finish(call.outputIndex, item);
  }

  function finish(outputIndex: number, item: OutputItem): void {
    output[outputIndex] = item;
    emit({ type: "response.output_item.done", output_index: outputIndex, item });
  }

  function acceptText(type: OpenPart["type"], text: string): void {
    const within = message ?? openMessage();
    const part = within.part?.type === type ? within.part : openPart(within, type);
    if (text === "") return;
    part.text.add(text);
    const place = placeOf(within);
    if (type === "output_text") emit({ type: "response.output_text.delta", ...place, delta: text, logprobs: [] });
    else emit({ type: "response.refusal.delta", ...place, delta: text });
  }

  function acceptAnnotation(annotation: UrlCitation): void {
    const within = message ?? openMessage();
    const part = within.part?.type === "output_text" ? within.part : openPart(within, "output_text");
    addPieces(1);
    emit({
      type: "response.output_text.annotation.added",
      ...placeOf(within),
      annotation_index: part.annotations.length,
      annotation,
    });
    part.annotations.push(annotation);
  }

  function startCall(index: number, callId: string, name: string): void {
    // A call beyond the limit is only counted.
    if (callsMade >= callsMax) {
      droppedIndexes.add(index);
      return;
    }
    closeMessage("completed");
    addPieces(1);
    callsMade++;
    const call: UnfinishedCall = {
      id: mint("function_call"),
      outputIndex: nextIndex++,
      callId,
      name,
      arguments: new GrowingText(),
    };
    calls.set(index, call);
    emit({
      type: "response.output_item.added",
      output_index: call.outputIndex,
      item: { type: "function_call", id: call.id, call_id: callId, name, arguments: "", status: "in_progress" },
    });
  }

  function acceptArguments(index: number, delta: string): void {
    if (droppedIndexes.has(index) || delta === "") return;
    const call = unfinishedCall(index);
    call.arguments.add(delta);
    emit({ type: "response.function_call_arguments.delta", item_id: call.id, output_index: call.outputIndex, delta });
  }

  function finishCall(index: number): void {
    if (droppedIndexes.has(index)) return;
    closeCall(unfinishedCall(index), "completed");
    calls.delete(index);
  }

  function unfinishedCall(index: number): UnfinishedCall {
    const call = calls.get(index);
    if (call === undefined)
      throw new Error(`no call of index ${index} is open: the provider's decoder broke the order of parts`);
    return call;
  }

  function acceptReasoning(summary: readonly string[], encryptedContent: string | null): void {
    closeMessage("completed");
    addPieces(1 + summary.length);
    const id = mint("reasoning");
    const outputIndex = nextIndex++;
    emit({
      type: "response.output_item.added",
      output_index: outputIndex,
      item: { type: "reasoning", id, summary: [] },
    });
    finish(outputIndex, {
      type: "reasoning",
      id,
      summary: summary.map((text) => ({ type: "summary_text", text })),
      ...(encryptedContent === null ? {} : { encrypted_content: encryptedContent }),
    });
  }

  return {
    accept(part) {
      switch (part.type) {
        case "message_started":
          return startMessage(part.phase);
        case "text":
          // An empty delta opens nothing.
          if (part.text !== "") acceptText("output_text", part.text);
          return;
        case "refusal":
          return acceptText("refusal", part.text);
        case "annotation":
          return acceptAnnotation(part.annotation);
        case "call_started":
          return startCall(part.index, part.callId, part.name);
        case "call_arguments":
          return acceptArguments(part.index, part.delta);
        case "call_finished":
          return finishCall(part.index);
        case "reasoning":
          return acceptReasoning(part.summary, part.encryptedContent);
        default:
          part satisfies never;
      }
    },
    close(status) {
      closeMessage(status);
      for (const call of calls.values()) closeCall(call, status);
      calls.clear();
      return output;
    },
    callsDropped: () => droppedIndexes.size,
    hasOutput: () => nextIndex > 0 || droppedIndexes.size > 0,
  };
}

function placeOf(message: OpenMessage) {
  return { item_id: message.id, output_index: message.outputIndex, content_index: message.content.length };
}

function toWirePart({ type, annotations }: OpenPart, text: string) {
  return type === "output_text" ? { type, text, annotations: [...annotations], logprobs: [] } : { type, refusal: text };
}
