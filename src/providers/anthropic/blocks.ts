// One content block of an answer, from its start to its end.
import { countCharacters } from "../../contract/characters.ts";
import { GrowingText } from "../../core/text/growing-text.ts";
import type { ProviderPart } from "../../ports/provider.ts";
import { argumentsWarning, isWhole } from "../calls.ts";
import { isRecord, type JsonRecord, readText } from "../json-shape.ts";
import type { TextCleaner } from "../text-cleaner.ts";
import type { RoundBlock } from "./round-state.ts";

export interface BlockDecoder {
  delta(delta: JsonRecord): void;
  stop(): void;
  /** The message has ended; `isCut`: before its time. False when a call is left half. */
  end(isCut: boolean): boolean;
  /** What of it the turn's next rounds are sent; null for nothing. */
  round(): RoundBlock | null;
  /** What it holds, for an estimate where the provider does not count. */
  characters(): BlockCharacters;
}

export interface BlockCharacters {
  readonly output: number;
  readonly reasoning: number;
}

type Push = (part: ProviderPart) => void;

/** A block of a kind that was not asked for. */
export const IGNORED_BLOCK: BlockDecoder = {
  delta() {},
  stop() {},
  end: () => true,
  round: () => null,
  characters: () => ({ output: 0, reasoning: 0 }),
};

/** Text goes out as it comes. */
export function createTextBlock(options: { block: JsonRecord; cleaner: TextCleaner; push: Push }): BlockDecoder {
  const { cleaner, push } = options;
  const all = new GrowingText();

  function put(text: string): void {
    if (text === "") return;
    all.add(text);
    push({ type: "text", text });
  }

  if (typeof options.block.text === "string") put(cleaner.clean(options.block.text));
  return {
    delta({ text }) {
      if (typeof text === "string") put(cleaner.clean(text));
    },
    stop: () => put(cleaner.end()),
    end() {
      put(cleaner.end());
      return true;
    },
    round: () => (all.isEmpty ? null : { type: "text", text: all.whole() }),
    characters: () => ({ output: countCharacters(all.whole()), reasoning: 0 }),
  };
}

/** Thinking is gathered, and goes out as one reasoning item when it stops; its signature is the encrypted content. */
export function createReasoningBlock(options: {
  block: JsonRecord;
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
      // Without its signature a thought can't be sent back: it was cut.
      return signature === "" ? null : { type: "thinking", thinking, signature };
    },
    characters: () => ({ output: 0, reasoning: countCharacters(thinking) }),
  };
}

export interface CallBlockOptions {
  /** The part's index. */
  readonly index: number;
  readonly block: JsonRecord;
  readonly callId: string;
  readonly name: string;
  readonly cleaner: TextCleaner;
  readonly push: Push;
}

/** A call's arguments go out as they come; it is finished when they are whole, or when the model has ended by itself. */
export function createCallBlock({ index, block, callId, name, cleaner, push }: CallBlockOptions): BlockDecoder {
  let all = "";
  let isFinished = false;

  function put(delta: string): void {
    if (delta === "") return;
    all += delta;
    push({ type: "call_arguments", index, delta });
  }

  function finish(): void {
    isFinished = true;
    push({ type: "call_finished", index });
  }

  push({ type: "call_started", index, callId, name });
  return {
    delta({ partial_json: fragment }) {
      if (typeof fragment === "string" && !isFinished) put(cleaner.clean(fragment));
    },
    stop() {
      if (isFinished) return;
      put(cleaner.end());
      // Proxies that do not stream send the input whole, at the start.
      if (all === "" && isRecord(block.input) && Object.keys(block.input).length > 0) put(JSON.stringify(block.input));
      // A block stops as well where max_tokens cuts it: then the end of the message tells.
      if (isWhole(all)) finish();
    },
    end(isCut) {
      if (isFinished) return true;
      put(cleaner.end());
      if (!isWhole(all)) {
        if (isCut) return false;
        if (all.trim() !== "") push(argumentsWarning(name));
      }
      finish();
      return true;
    },
    round: () => (isFinished ? { type: "call", callId } : null),
    characters: () => ({ output: countCharacters(name) + countCharacters(all), reasoning: 0 }),
  };
}
