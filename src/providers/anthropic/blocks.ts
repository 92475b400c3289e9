// Decoders for the content blocks of a message.
import { countCharacters } from "../../contract/characters.ts";
import { GrowingText } from "../../base/growing-text.ts";
import type { ProviderPart } from "../../ports/provider.ts";
import { argumentsWarning } from "../wire/calls.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { readText } from "../wire/json-shape.ts";
import { ObjectText } from "../wire/object-text.ts";
import type { TextCleaner } from "../wire/text-cleaner.ts";
import type { RoundBlock } from "./round-state.ts";

export interface BlockDecoder {
  delta(delta: JsonObject): void;
  stop(): void;
  /**
   * Closes the block at the end of the message; `isCut` if the message was cut short. False if a call is incomplete.
   */
  end(isCut: boolean): boolean;
  /** The block as the turn's next rounds send it back; null if they do not. */
  round(): RoundBlock | null;
  /** Its length, for an estimate if the provider reports no usage. */
  characters(): BlockCharacters;
}

export interface BlockCharacters {
  readonly output: number;
  readonly reasoning: number;
}

type Push = (part: ProviderPart) => void;

/** A block of an unknown kind; its content is dropped. */
export const IGNORED_BLOCK: BlockDecoder = {
  delta() {},
  stop() {},
  end: () => true,
  round: () => null,
  characters: () => ({ output: 0, reasoning: 0 }),
};

/** Emits text as it arrives. */
export function createTextBlock(options: { block: JsonObject; cleaner: TextCleaner; push: Push }): BlockDecoder {
  const { cleaner, push } = options;
  const all = new GrowingText();

  function emit(text: string): void {
    if (text === "") return;
    all.add(text);
    push({ type: "text", text });
  }

  if (typeof options.block.text === "string") emit(cleaner.clean(options.block.text));
  return {
    delta({ text }) {
      if (typeof text === "string") emit(cleaner.clean(text));
    },
    stop: () => emit(cleaner.end()),
    end() {
      emit(cleaner.end());
      return true;
    },
    round: () => (all.isEmpty ? null : { type: "text", text: all.whole() }),
    characters: () => ({ output: countCharacters(all.whole()), reasoning: 0 }),
  };
}

/**
 * Collects thinking and emits it as one reasoning item when the block stops. The signature is its encrypted content.
 */
export function createReasoningBlock(options: {
  block: JsonObject;
  unreadable: () => Error;
  push: Push;
}): BlockDecoder {
  const { block, unreadable, push } = options;
  const isRedacted = block.type === "redacted_thinking";
  const data = readText(block.data) ?? "";
  let thinking = readText(block.thinking) ?? "";
  let signature = readText(block.signature) ?? "";
  let hasStopped = false;

  function stop(): void {
    if (hasStopped) return;
    hasStopped = true;
    const encryptedContent = isRedacted ? data : signature;
    if (thinking === "" && encryptedContent === "") return;
    if (thinking.includes("\0") || encryptedContent.includes("\0")) throw unreadable();
    push({
      type: "reasoning",
      summary: thinking === "" ? [] : [thinking.toWellFormed()],
      encryptedContent: encryptedContent === "" ? null : encryptedContent.toWellFormed(),
    });
  }

  return {
    delta(delta) {
      if (typeof delta.thinking === "string") thinking += delta.thinking;
      else if (typeof delta.signature === "string") signature += delta.signature;
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
    characters: () => ({ output: 0, reasoning: countCharacters(thinking) }),
  };
}

export interface CallBlockOptions {
  /** `index` of the parts it emits. */
  readonly index: number;
  readonly block: JsonObject;
  readonly callId: string;
  readonly name: string;
  readonly cleaner: TextCleaner;
  readonly push: Push;
}

/**
 * Emits a call's arguments as they arrive. The call is finished when they form an object, or when the model ends by
 * itself.
 */
export function createCallBlock({ index, block, callId, name, cleaner, push }: CallBlockOptions): BlockDecoder {
  const all = new ObjectText();
  let isFinished = false;

  function emit(delta: string): void {
    if (delta === "") return;
    all.add(delta);
    push({ type: "call_arguments", index, delta });
  }

  function finish(): void {
    isFinished = true;
    push({ type: "call_finished", index });
  }

  push({ type: "call_started", index, callId, name });
  return {
    delta({ partial_json: fragment }) {
      if (typeof fragment === "string" && !isFinished) emit(cleaner.clean(fragment));
    },
    stop() {
      if (isFinished) return;
      emit(cleaner.end());
      // Proxies that do not stream send the whole input with the block's start.
      if (all.length === 0 && isJsonObject(block.input) && Object.keys(block.input).length > 0)
        emit(JSON.stringify(block.input));
      // A block also stops where max_tokens cuts it; the end of the message then decides.
      if (all.isObject()) finish();
    },
    end(isCut) {
      if (isFinished) return true;
      emit(cleaner.end());
      if (!all.isObject()) {
        if (isCut) return false;
        if (all.whole().trim() !== "") push(argumentsWarning(name));
      }
      finish();
      return true;
    },
    round: () => (isFinished ? { type: "call", callId } : null),
    characters: () => ({ output: countCharacters(name) + countCharacters(all.whole()), reasoning: 0 }),
  };
}
