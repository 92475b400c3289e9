// Decodes the events of a message into parts.
//
//   message_start ─▶ content blocks, one after another: start ─▶ deltas ─▶ stop ─▶ message_delta (why it ended, usage)
//     ─▶ message_stop: calls finished, state, `finished`
//
// A thinking block becomes one reasoning part when it stops; behind text, when the next text or call begins or the message
// ends, since a refusal of the text comes before it. A message without a stop reason has failed, whatever came
// before.
import type { Usage } from "../../contract/resources.ts";
import type { ProviderPart } from "../../ports/provider.ts";
import { argumentsText } from "../wire/arguments.ts";
import { PARTLY_ESTIMATED } from "../wire/estimate.ts";
import { type DecodedRound, RoundDecoding } from "../wire/round-decoding.ts";
import type { HttpHead, ResponseReader } from "../wire/exchange.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { isBareError, readIndex, readText, saysError } from "../wire/json-shape.ts";
import {
  type BlockDecoder,
  createCallBlock,
  createReasoningBlock,
  createTextBlock,
  IGNORED_BLOCK,
  type TextBlock,
} from "./blocks.ts";
import { brokenEnding, combineEndings, type Ending } from "../wire/finish-words.ts";
import { END_MARK } from "../wire/response-body.ts";
import { errorInStream } from "./failures.ts";
import { readPlainDelta } from "./plain-delta.ts";
import { createRoundState } from "./round-state.ts";
import { endingOf } from "./stop-reasons.ts";
import { createUsageCounter } from "./usage.ts";

/** A round with one response. */
export interface DecoderOptions extends DecodedRound {
  readonly head: HttpHead;
  /** Parts emitted before those of the response. */
  readonly preface: readonly ProviderPart[];
}

/** Arguments that are no string: their numbers must be parsed exactly. */
const OTHER_ARGUMENTS = /"(?:input|partial_json)":\s*[^"\s]/;

/** The model's words came as text. The provider's own explanation varies and is not the model's. */
const REFUSAL: ProviderPart = { type: "refusal", text: "" };

/** Creates the reader of one response. Its methods throw an UpstreamError for a malformed one. */
export function createDecoder(options: DecoderOptions): ResponseReader {
  const decoding = new RoundDecoding(options, options.head, options.preface);
  let hasStarted = false;
  let stopReason: string | null = null;
  let ending: Ending = "broken";
  const blocks: BlockDecoder[] = [];
  /** The newest block by the server's index. */
  const open = new Map<number, BlockDecoder>();
  /** The newest call there: it goes on behind text that came within its block. */
  const calls = new Map<number, BlockDecoder>();
  let newestIndex = 0;
  /** The newest text, if no call has begun since. */
  let newestText: TextBlock | null = null;
  /** Thinking that waits for the next text or call: the newest, and what has stopped behind the newest text. */
  const held = new Set<BlockDecoder>();
  const usage = createUsageCounter((count) => decoding.warnOfUnknown(count));

  function event(data: string, name: string | undefined): void {
    if (decoding.progress === "over") return;
    const plain = readPlainDelta(data);
    if (plain !== null) return addDelta(plain.index, plain);
    // In place of message_stop, from gateways that serve several wires.
    if (data === END_MARK) return decoding.progress === "finished" ? finish() : undefined;
    const value = decoding.parseEvent(data, OTHER_ARGUMENTS.test(data));
    if (value === null) return;
    const type = value.type ?? name;
    switch (type) {
      case "content_block_delta":
        if (isJsonObject(value.delta)) addDelta(value.index, value.delta);
        return;
      case "content_block_start":
        if (isJsonObject(value.content_block)) startBlock(value.index, value.content_block);
        return;
      case "content_block_stop":
        stopBlock(open.get(toIndex(value.index)));
        return;
      case "message_start":
        return startMessage(value.message);
      case "message_delta":
        return readMessageDelta(value);
      case "message_stop":
        return finish();
      case "error":
        throw errorInStream(decoding.head, value);
      default:
        // Events that later versions add. Some proxies end a stream with a bare error object.
        if (value.type === undefined && isBareError(value)) throw errorInStream(decoding.head, value);
    }
  }

  /** Servers that omit indexes send one block after another. */
  function toIndex(value: unknown): number {
    return readIndex(value) ?? newestIndex;
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

  function startBlock(wireIndex: unknown, block: JsonObject): BlockDecoder {
    newestIndex = toIndex(wireIndex);
    const created = beginBlock(newestIndex, block);
    if (block.type === "tool_use") calls.set(newestIndex, created);
    else calls.delete(newestIndex);
    return created;
  }

  /** A block begins. One of the same index before it has ended: some servers number none, or all as 0. */
  function beginBlock(index: number, block: JsonObject): BlockDecoder {
    stopBlock(open.get(index));
    decoding.countPiece();
    const created = createBlock(blocks.length, block);
    blocks.push(created);
    open.set(index, created);
    return created;
  }

  function stopBlock(block: BlockDecoder | undefined): void {
    if (block?.isThinking === true && hasOpenMessage()) held.add(block);
    else block?.stop();
  }

  /** Whether the newest output is text: a refusal belongs to its message. */
  function hasOpenMessage(): boolean {
    return newestText?.isEmpty() === false;
  }

  function createBlock(index: number, block: JsonObject): BlockDecoder {
    if (block.type === "text" || block.type === "tool_use") {
      for (const thinking of held) thinking.stop();
      held.clear();
      newestText = null;
    }
    switch (block.type) {
      case "text":
        newestText = createTextBlock(block, decoding);
        return newestText;
      case "thinking":
      case "redacted_thinking": {
        const thinking = createReasoningBlock(block, decoding);
        // Some servers never say that it stops.
        held.add(thinking);
        return thinking;
      }
      case "tool_use":
        return createCallBlock(index, block, decoding);
      default:
        // Blocks of the provider's own tools, which are never offered.
        return IGNORED_BLOCK;
    }
  }

  /** Adds a delta to its block. If that is missing, or of another kind, text and thinking begin a block of their own. */
  function addDelta(wireIndex: unknown, delta: JsonObject): void {
    const index = toIndex(wireIndex);
    const block = open.get(index);
    if (block?.delta(delta) === true) return;
    if (readText(delta.text) !== null) beginBlock(index, { type: "text" }).delta(delta);
    else if (readText(delta.thinking) !== null) beginBlock(index, { type: "thinking" }).delta(delta);
    // The signature of another block would make the provider reject the round.
    else if (readText(delta.signature) !== null && block === undefined)
      beginBlock(index, { type: "thinking" }).delta(delta);
    else if (argumentsText(delta.partial_json) !== "") continueCall(index, delta);
  }

  /** Arguments outside of the block of a call. Without one their call has no name. */
  function continueCall(index: number, delta: JsonObject): void {
    const call = calls.get(index);
    if (call === undefined) throw decoding.fail("The provider sent the events of its response out of order.");
    call.delta(delta);
  }

  function readMessageDelta(value: JsonObject): void {
    const reason = isJsonObject(value.delta) ? readText(value.delta.stop_reason) : null;
    if (reason !== null) {
      stopReason = reason;
      ending = combineEndings(ending, endingOf(reason));
    }
    reportUsage(usage.add(value.usage));
    // The end of the body may follow, without message_stop.
    if (stopReason !== null) decoding.progress = "finished";
  }

  function reportUsage(counted: Usage | null): void {
    if (counted !== null) decoding.report(counted);
  }

  /** Closes every open block after the last event. Called once. */
  function finish(): void {
    decoding.progress = "over";
    const isRefusal = ending === "filtered";
    let incompleteReason = ending === "cut" ? "max_output_tokens" : null;
    let isCallCut = false;
    let isRefused = false;
    for (const block of blocks) {
      if (!block.end(ending !== "ended")) isCallCut = true;
      if (!isRefusal || block !== newestText || !hasOpenMessage()) continue;
      // Before thinking that came behind the text: it would end its message.
      decoding.push(REFUSAL);
      isRefused = true;
    }
    // A gateway may end a stream that broke off as if it were whole.
    if (ending === "broken") throw brokenEnding(decoding, stopReason);
    const round = blocks.map((block) => block.round()).filter((block) => block !== null);
    const hasCalls = round.some(({ type }) => type === "call");
    const hasThinking = round.some(({ type }) => type === "thinking" || type === "redacted_thinking");
    if (hasCalls && hasThinking) decoding.push({ type: "state", state: createRoundState(round) });
    if (isRefusal) {
      if (!isRefused) decoding.push(REFUSAL);
      // Half a call can't be answered, so the turn can't be complete with it.
      if (isCallCut) incompleteReason = "content_filter";
    }
    const completed = usage.complete(() => decoding.estimate(), decoding.hasOutput);
    reportUsage(completed);
    if (completed !== null) decoding.push(PARTLY_ESTIMATED);
    decoding.finish(incompleteReason);
  }

  /** A whole message, from servers that do not stream. */
  function document(text: string): void {
    const parsed = decoding.parse(text, OTHER_ARGUMENTS.test(text));
    // Google sends errors in an array.
    const value: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
    if (
      isJsonObject(value) &&
      (value.type === "error" || saysError(value.error) || (value.content === undefined && isBareError(value)))
    ) {
      throw errorInStream(decoding.head, value);
    }
    if (!isJsonObject(value) || !Array.isArray(value.content)) {
      throw decoding.fail("The provider's response is neither an event stream nor a message.");
    }
    startMessage(value);
    for (const [index, block] of value.content.entries()) if (isJsonObject(block)) stopBlock(startBlock(index, block));
    readMessageDelta({ delta: value, usage: value.usage });
    finish();
  }

  return decoding.reader({ event, document, finish });
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
