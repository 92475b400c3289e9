// The events of a message become parts.
//
//   message_start ─▶ content blocks, one after another: start ─▶ deltas ─▶ stop ─▶ message_delta (why it ended, usage)
//     ─▶ message_stop: calls finished, state, `finished`
//
// A block of thinking is one reasoning part when it stops. Without message_stop the message has not ended, whatever was said before.
import type { Usage } from "../../contract/resources.ts";
import type { Prompt } from "../../core/turn/prompt.ts";
import type { ProviderPart } from "../../ports/provider.ts";
import { takenCallIds } from "../calls.ts";
import { countPromptCharacters, estimateUsage, estimateWarning } from "../estimate.ts";
import type { AnswerHead, AnswerProgress, AnswerReader } from "../exchange.ts";
import { answerFailure } from "../failures.ts";
import { isRecord, type JsonRecord, parseJson, readText } from "../json-shape.ts";
import { createTextCleaner } from "../text-cleaner.ts";
import { type BlockDecoder, createCallBlock, createReasoningBlock, createTextBlock, IGNORED_BLOCK } from "./blocks.ts";
import { streamFailure } from "./failures.ts";
import { readPlainDelta } from "./plain-delta.ts";
import { createRoundState } from "./round-state.ts";
import { incompleteReasonOf } from "./stop-reasons.ts";
import { createUsageCounter } from "./usage.ts";

export interface DecoderOptions {
  readonly head: AnswerHead;
  readonly apiKey: string | null;
  /** Parts that go before the answer's own. */
  readonly preface: readonly ProviderPart[];
  /** For the call_ids that are taken, and for the estimate of an input that the provider does not count. */
  readonly prompt: Prompt;
  mintCallId(): string;
  /** The tool's own name for one of the wire. */
  originalToolName(name: string): string;
  receive(parts: readonly ProviderPart[]): void;
}

const PARTLY_ESTIMATED = estimateWarning(
  "The provider did not report its usage in full: what is missing is estimated at four characters a token.",
);

/** Reads one answer; throws a ProviderFailure where it is none. */
export function createDecoder(options: DecoderOptions): AnswerReader {
  const { head, apiKey, prompt, receive } = options;
  let parts: ProviderPart[] = [...options.preface];
  let progress: AnswerProgress = "running";
  let hasStarted = false;
  let stopReason: string | null = null;
  const blocks = new Map<number, BlockDecoder>();
  const usage = createUsageCounter();
  // Gathered at the first call.
  let takenIds: Set<string> | null = null;

  const unreadable = () => answerFailure(head, "The provider sent text that cannot be stored.");
  const push = (part: ProviderPart) => parts.push(part);

  function event(data: string, name: string | undefined): void {
    // The provider says that it is still there.
    if (progress === "over" || name === "ping") return;
    const plain = readPlainDelta(data);
    if (plain !== null) return openBlock(plain.index).delta({ text: plain.text });
    let value: unknown;
    try {
      value = JSON.parse(data);
    } catch {
      throw answerFailure(head, "The provider sent an event that is no JSON.");
    }
    if (!isRecord(value)) throw answerFailure(head, "The provider sent an event that is no object.");
    switch (value.type) {
      case "content_block_delta":
        if (isRecord(value.delta)) openBlock(value.index).delta(value.delta);
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
        throw streamFailure({ head, error: value, apiKey });
      default:
      // `ping`, and what may come to be.
    }
  }

  function startMessage(message: unknown): void {
    // Some proxies say it twice.
    if (hasStarted) return;
    hasStarted = true;
    if (!isRecord(message)) return;
    tellUsage(usage.begin(message.usage));
    const dropped = countDroppedThinking(message.input_transformations);
    if (dropped > 0) push(droppedWarning(dropped));
  }

  function startBlock(value: JsonRecord): void {
    const { index, content_block: block } = value;
    if (!hasStarted || typeof index !== "number" || blocks.has(index) || !isRecord(block)) throw outOfOrder();
    blocks.set(index, createBlock(index, block));
  }

  function createBlock(index: number, block: JsonRecord): BlockDecoder {
    switch (block.type) {
      case "text":
        return createTextBlock({ block, cleaner: createTextCleaner(unreadable), push });
      case "thinking":
      case "redacted_thinking":
        return createReasoningBlock({ block, unreadable, push });
      case "tool_use": {
        const name = readText(block.name);
        if (name === null) throw answerFailure(head, "The provider sent a tool call without a name.");
        if (name.includes("\0")) throw unreadable();
        return createCallBlock({
          index,
          block,
          callId: takeCallId(readText(block.id)),
          name: options.originalToolName(name).toWellFormed(),
          cleaner: createTextCleaner(unreadable),
          push,
        });
      }
      default:
        // The provider's own tools, which are not offered.
        return IGNORED_BLOCK;
    }
  }

  function takeCallId(id: string | null): string {
    if (id?.includes("\0")) throw unreadable();
    takenIds ??= takenCallIds(prompt);
    const callId = id !== null && id.isWellFormed() && !takenIds.has(id) ? id : options.mintCallId();
    takenIds.add(callId);
    return callId;
  }

  function openBlock(index: unknown): BlockDecoder {
    const block = typeof index === "number" ? blocks.get(index) : undefined;
    if (block === undefined) throw outOfOrder();
    return block;
  }

  function outOfOrder() {
    return answerFailure(head, "The provider sent the events of its answer out of order.");
  }

  function readMessageDelta(value: JsonRecord): void {
    if (isRecord(value.delta)) stopReason = readText(value.delta.stop_reason) ?? stopReason;
    tellUsage(usage.add(value.usage));
  }

  function tellUsage(counted: Usage | null): void {
    if (counted !== null) push({ type: "usage", usage: counted });
  }

  function estimate(): Usage {
    let output = 0;
    let reasoning = 0;
    for (const block of blocks.values()) {
      const characters = block.characters();
      output += characters.output;
      reasoning += characters.reasoning;
    }
    return estimateUsage({ input: countPromptCharacters(prompt), output, reasoning });
  }

  /** The last word has been said: closes what is open. Called once. */
  function finish(): void {
    if (!hasStarted) throw outOfOrder();
    progress = "over";
    const declines = stopReason === "refusal";
    let incompleteReason = incompleteReasonOf(stopReason);
    const isCut = declines || incompleteReason !== null;
    let isCallCut = false;
    for (const block of blocks.values()) if (!block.end(isCut)) isCallCut = true;
    const round = Array.from(blocks.values(), (block) => block.round()).filter((block) => block !== null);
    const hasCalls = round.some(({ type }) => type === "call");
    const hasThinking = round.some(({ type }) => type === "thinking" || type === "redacted_thinking");
    if (hasCalls && hasThinking) push({ type: "state", state: createRoundState(round) });
    if (declines) {
      // The words came as text; what the provider says of it besides is no fixed text, and none of the model's.
      push({ type: "refusal", text: "" });
      // Half a call can't be answered, so the turn can't be complete with it.
      if (isCallCut) incompleteReason = "content_filter";
    }
    const completed = usage.complete(estimate);
    tellUsage(completed);
    if (completed !== null) push(PARTLY_ESTIMATED);
    push({ type: "finished", incompleteReason });
  }

  return {
    event,
    document(text) {
      const value = parseJson(text.replace(/^\uFEFF/, ""));
      if (isRecord(value) && value.type === "error") throw streamFailure({ head, error: value, apiKey });
      throw answerFailure(head, "The provider's answer is no event stream.");
    },
    flush() {
      if (parts.length === 0) return;
      const ready = parts;
      parts = [];
      receive(ready);
    },
    progress: () => progress,
    end() {
      if (progress !== "over") throw answerFailure(head, "The provider's answer ended before the model did.");
    },
  };
}

/** How many thinking blocks the provider left out because the prompt before them has changed. */
function countDroppedThinking(transformations: unknown): number {
  if (!Array.isArray(transformations)) return 0;
  return transformations.filter((entry) => isRecord(entry) && entry.type === "thinking_dropped").length;
}

function droppedWarning(count: number): ProviderPart {
  const blocks = count === 1 ? "One block" : `${count} blocks`;
  return {
    type: "warning",
    code: "reasoning_not_replayed",
    message: `${blocks} of this turn's earlier reasoning no longer fitted the prompt and did not reach the model: send the same instructions with every tool answer of a turn.`,
    param: "instructions",
  };
}
