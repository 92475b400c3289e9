// Decoders for the content blocks of a message.
import { countCharacters } from "../../contract/characters.ts";
import { GrowingText } from "../../base/growing-text.ts";
import { DeferredReasoning } from "../wire/deferred-reasoning.ts";
import { argumentsText } from "../wire/arguments.ts";
import { CallOutput, saysNothing } from "../wire/call-output.ts";
import { argumentsWarning, isObjectText } from "../wire/calls.ts";
import type { JsonObject } from "../../base/json.ts";
import { readText } from "../wire/json-shape.ts";
import type { RoundDecoding } from "../wire/round-decoding.ts";
import { TextOutput } from "../wire/text-output.ts";
import type { RoundBlock } from "./round-state.ts";

export interface BlockDecoder {
  readonly isThinking?: true;
  /** Adds a delta; false if it belongs to another kind of block, or comes after the end of this one. */
  delta(delta: JsonObject): boolean;
  stop(): void;
  /**
   * Closes the block at the end of the message; `isCut` if the message was cut short. False if a call is incomplete.
   */
  end(isCut: boolean): boolean;
  /** The block as the turn's next rounds send it back; null if they do not. */
  round(): RoundBlock | null;
}

export interface TextBlock extends BlockDecoder {
  /** Whether it has no text so far. */
  isEmpty(): boolean;
}

/** A block of an unknown kind; its content is dropped, but not text in it. */
export const IGNORED_BLOCK: BlockDecoder = {
  delta: ({ text, thinking }) => readText(text) === null && readText(thinking) === null,
  stop() {},
  end: () => true,
  round: () => null,
};

/** Emits text as it arrives. */
export function createTextBlock(block: JsonObject, decoding: RoundDecoding): TextBlock {
  const output = new TextOutput(decoding, "text");
  const all = new GrowingText();
  if (typeof block.text === "string") all.add(output.add(block.text));
  return {
    delta({ text }) {
      // A proxy may send the fields of other deltas too, empty.
      if (typeof text !== "string" || text === "") return false;
      all.add(output.add(text));
      return true;
    },
    stop: () => all.add(output.end()),
    end() {
      all.add(output.end());
      return true;
    },
    isEmpty: () => all.isEmpty,
    round: () => (all.isEmpty ? null : { type: "text", text: all.whole() }),
  };
}

/**
 * Collects thinking and emits it as one reasoning item when the block stops. The signature is its encrypted content.
 */
export function createReasoningBlock(block: JsonObject, decoding: RoundDecoding): BlockDecoder {
  const isRedacted = block.type === "redacted_thinking";
  const data = readText(block.data) ?? "";
  const deferred = new DeferredReasoning(decoding);
  let thinking = "";
  let signature = readText(block.signature) ?? "";
  let hasStopped = false;

  function think(text: string): void {
    deferred.add(text);
    decoding.reasoningCharacters += countCharacters(text);
  }

  function stop(): void {
    if (hasStopped) return;
    hasStopped = true;
    thinking = deferred.take();
    const encryptedContent = isRedacted ? data : signature;
    if (thinking === "" && encryptedContent === "") return;
    decoding.push({
      type: "reasoning",
      summary: thinking === "" ? [] : [decoding.clean(thinking)],
      encryptedContent: encryptedContent === "" ? null : decoding.clean(encryptedContent),
    });
  }

  decoding.countState(data.length + signature.length);
  think(readText(block.thinking) ?? "");
  return {
    isThinking: true,
    delta(delta) {
      const [thought, signed] = [readText(delta.thinking) ?? "", readText(delta.signature) ?? ""];
      if (hasStopped || isRedacted || thought + signed === "") return false;
      think(thought);
      decoding.countState(signed.length);
      signature += signed;
      return true;
    },
    stop,
    end() {
      stop();
      return true;
    },
    round() {
      if (isRedacted) return data === "" ? null : { type: "redacted_thinking", data };
      // Thinking without a signature was cut short and cannot be sent back.
      return signature === "" ? null : { type: "thinking", thinking, signature };
    },
  };
}

/**
 * Emits a call's arguments as they arrive. The call is finished when they form an object, or when the model ends by
 * itself. `index` is that of its parts.
 */
export function createCallBlock(index: number, block: JsonObject, decoding: RoundDecoding): BlockDecoder {
  const call = new CallOutput(decoding, index, { name: readText(block.name), id: readText(block.id) });
  let hasStopped = false;

  /** Proxies that do not stream send the whole input with the block's start. */
  function addInput(): void {
    if (call.length > 0) return;
    const input = argumentsText(block.input);
    // Every call begins with `{}`: it says nothing.
    if (!saysNothing(input)) call.add(input);
  }

  return {
    delta({ partial_json: fragment }) {
      const piece = argumentsText(fragment);
      if (piece === "") return false;
      if (!call.isFinished) call.add(piece);
      return true;
    },
    stop() {
      // Once: to look at all the arguments each time that a provider says it would be quadratic.
      if (hasStopped) return;
      hasStopped = true;
      addInput();
      // A block also stops where max_tokens cuts it; the end of the message then decides.
      if (isObjectText(call.end())) call.finish();
    },
    end(isCut) {
      if (call.isFinished) return true;
      addInput();
      const whole = call.end();
      if (!isObjectText(whole)) {
        if (isCut) return false;
        if (whole.trim() !== "") decoding.push(argumentsWarning(call.name));
      }
      call.finish();
      return true;
    },
    round: () => (call.isFinished ? { type: "call", callId: call.callId } : null),
  };
}
