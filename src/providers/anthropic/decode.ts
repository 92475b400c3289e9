// Decodes the events of a message into parts.
//
//   message_start ─▶ content blocks, one after another: start ─▶ deltas ─▶ stop ─▶ message_delta (why it ended, usage)
//     ─▶ message_stop: calls finished, state, `finished`
//
// A thinking block becomes one reasoning part when it stops. A message without message_stop is incomplete, whatever
// came before.
import type { Usage } from "../../contract/resources.ts";
import type { ProviderPart } from "../../ports/provider.ts";
import { PARTLY_ESTIMATED } from "../wire/estimate.ts";
import { type DecodedRound, RoundDecoding } from "../wire/round-decoding.ts";
import type { ResponseHead, ResponseReader } from "../wire/exchange.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { readText } from "../wire/json-shape.ts";
import { type BlockDecoder, createCallBlock, createReasoningBlock, createTextBlock, IGNORED_BLOCK } from "./blocks.ts";
import { errorInStream } from "./failures.ts";
import { readPlainDelta } from "./plain-delta.ts";
import { createRoundState } from "./round-state.ts";
import { incompleteReasonOf } from "./stop-reasons.ts";
import { createUsageCounter } from "./usage.ts";

/** A round with one response. */
export interface DecoderOptions extends DecodedRound {
  readonly head: ResponseHead;
  /** Parts emitted before those of the response. */
  readonly preface: readonly ProviderPart[];
}

/** Creates the reader of one response. Its methods throw an UpstreamError for a malformed one. */
export function createDecoder(options: DecoderOptions): ResponseReader {
  const decoding = new RoundDecoding(options, options.head, options.preface);
  let hasStarted = false;
  let stopReason: string | null = null;
  const blocks = new Map<number, BlockDecoder>();
  const usage = createUsageCounter((count) => decoding.warnOfUnknown(count));

  function event(data: string, name: string | undefined): void {
    // Pings keep the connection alive.
    if (decoding.progress === "over" || name === "ping") return;
    const plain = readPlainDelta(data);
    if (plain !== null) return openBlock(plain.index).delta(plain);
    const value = decoding.parseEvent(data);
    switch (value.type) {
      case "content_block_delta":
        if (isJsonObject(value.delta)) openBlock(value.index).delta(value.delta);
        return;
      case "content_block_start":
        return startBlock(value);
      case "content_block_stop":
        return openBlock(value.index).stop();
      case "message_start":
        return startMessage(value.message);
      case "message_delta":
        return readMessageDelta(value);
      case "message_stop":
        return finish();
      case "error":
        throw errorInStream(decoding.head, value);
      default:
        // `ping`, and events that later versions add. Some proxies end a stream with a bare error object.
        if (value.type === undefined && isJsonObject(value.error)) throw errorInStream(decoding.head, value);
    }
  }

  function startMessage(message: unknown): void {
    // Some proxies send it twice.
    if (hasStarted) return;
    hasStarted = true;
    if (!isJsonObject(message)) return;
    reportUsage(usage.begin(message.usage));
    const dropped = countDroppedThinking(message.input_transformations);
    if (dropped > 0) decoding.push(droppedWarning(dropped));
  }

  function startBlock(value: JsonObject): void {
    const { index, content_block: block } = value;
    if (!hasStarted || typeof index !== "number" || blocks.has(index) || !isJsonObject(block)) throw outOfOrder();
    decoding.countPiece();
    blocks.set(index, createBlock(index, block));
  }

  function createBlock(index: number, block: JsonObject): BlockDecoder {
    switch (block.type) {
      case "text":
        return createTextBlock(block, decoding);
      case "thinking":
      case "redacted_thinking":
        return createReasoningBlock(block, decoding);
      case "tool_use":
        return createCallBlock(index, block, decoding);
      default:
        // Blocks of the provider's own tools, which are never offered.
        return IGNORED_BLOCK;
    }
  }

  function openBlock(index: unknown): BlockDecoder {
    const block = typeof index === "number" ? blocks.get(index) : undefined;
    if (block === undefined) throw outOfOrder();
    return block;
  }

  function outOfOrder() {
    return decoding.fail("The provider sent the events of its response out of order.");
  }

  function readMessageDelta(value: JsonObject): void {
    if (isJsonObject(value.delta)) stopReason = readText(value.delta.stop_reason) ?? stopReason;
    reportUsage(usage.add(value.usage));
  }

  function reportUsage(counted: Usage | null): void {
    if (counted !== null) decoding.report(counted);
  }

  /** Closes every open block after the last event. Called once. */
  function finish(): void {
    if (!hasStarted) throw outOfOrder();
    decoding.progress = "over";
    const isRefusal = stopReason === "refusal";
    let incompleteReason = incompleteReasonOf(stopReason);
    const isCut = isRefusal || incompleteReason !== null;
    let isCallCut = false;
    for (const block of blocks.values()) if (!block.end(isCut)) isCallCut = true;
    const round = Array.from(blocks.values(), (block) => block.round()).filter((block) => block !== null);
    const hasCalls = round.some(({ type }) => type === "call");
    const hasThinking = round.some(({ type }) => type === "thinking" || type === "redacted_thinking");
    if (hasCalls && hasThinking) decoding.push({ type: "state", state: createRoundState(round) });
    if (isRefusal) {
      // The model's words came as text. The provider's own explanation varies and is not the model's.
      decoding.push({ type: "refusal", text: "" });
      // Half a call can't be answered, so the turn can't be complete with it.
      if (isCallCut) incompleteReason = "content_filter";
    }
    const completed = usage.complete(() => decoding.estimate(), decoding.hasOutput);
    reportUsage(completed);
    if (completed !== null) decoding.push(PARTLY_ESTIMATED);
    decoding.finish(incompleteReason);
  }

  function document(text: string): void {
    const value = decoding.parse(text);
    if (isJsonObject(value) && value.type === "error") throw errorInStream(decoding.head, value);
    throw decoding.fail("The provider's response is not an event stream.");
  }

  return decoding.reader({ event, document });
}

/** The number of thinking blocks that the provider dropped because the prompt before them has changed. */
function countDroppedThinking(transformations: unknown): number {
  if (!Array.isArray(transformations)) return 0;
  return transformations.filter((entry) => isJsonObject(entry) && entry.type === "thinking_dropped").length;
}

function droppedWarning(count: number): ProviderPart {
  const blocks = count === 1 ? "One block" : `${count} blocks`;
  return {
    type: "warning",
    code: "reasoning_not_replayed",
    message: `${blocks} of this turn's earlier reasoning no longer matched the prompt and did not reach the model: send the same instructions with all tool outputs of a turn.`,
    param: "instructions",
  };
}
