// The output items of a response, put together from its events, or taken whole where events are missing: every item ends with its
// whole self, and what had not been told of it by then is told at once.
import { countCharacters } from "../../contract/characters.ts";
import { isRecord } from "../json-shape.ts";
import { type CallOptions, createCalls } from "./calls.ts";
import { createMessages, type TextType } from "./messages.ts";
import { readReasoning } from "./reasoning.ts";
import type { RoundItem } from "./round-state.ts";

export interface Output {
  /** An item begins; `index` is its place in the output. */
  begin(index: number, item: unknown): void;
  addText(type: TextType, index: number, contentIndex: number, delta: string): void;
  addAnnotation(index: number, contentIndex: number, annotation: unknown): void;
  addArguments(index: number, delta: string): void;
  /** An item has ended and is known whole. */
  end(index: number, item: unknown): void;
  /** The response has ended with this output; `isCut` when it ended before its time. */
  finish(output: unknown, isCut: boolean): void;
  /** Every item that came whole, in order, as it is input again. */
  round(): readonly RoundItem[];
  /** Whether a message went on behind another item: it became several here, whose round is not what came. */
  isSplit(): boolean;
  /** Characters put out, without reasoning. */
  characters(): number;
  reasoningCharacters(): number;
}

/** Collects the output of one response. */
export function createOutput(options: CallOptions): Output {
  const messages = createMessages(options);
  const calls = createCalls(options);
  /** What ended, as input; null: nothing that could be. */
  const ended = new Map<number, RoundItem | null>();
  let reasoningCharacters = 0;

  function begin(index: number, item: unknown): void {
    if (!isRecord(item) || ended.has(index)) return;
    if (item.type === "message") messages.begin(index, item);
    else if (item.type === "function_call") {
      messages.leave();
      calls.begin(index, item);
    }
  }

  function end(index: number, item: unknown): void {
    if (!isRecord(item) || ended.has(index)) return;
    begin(index, item);
    switch (item.type) {
      case "message":
        ended.set(index, messages.end(index, item));
        return;
      case "function_call":
        // A call that was cut short stays open: the turn ends incomplete.
        if (item.status !== "incomplete") ended.set(index, calls.end(index, item));
        return;
      case "reasoning": {
        const { part, round } = readReasoning(item, options.unreadable);
        ended.set(index, round);
        if (part === null) return;
        messages.leave();
        for (const text of part.summary) reasoningCharacters += countCharacters(text);
        options.push(part);
        return;
      }
      default:
        // Items of tools that were not offered.
        ended.set(index, null);
    }
  }

  function finish(output: unknown, isCut: boolean): void {
    if (Array.isArray(output) && output.length > ended.size) {
      for (const [index, item] of output.entries()) end(index, item);
    }
    messages.leave();
    if (isCut) return;
    for (const index of calls.open()) ended.set(index, calls.end(index, {}));
  }

  return {
    begin,
    addText: messages.addText,
    addAnnotation: messages.addAnnotation,
    addArguments: calls.addArguments,
    end,
    finish,
    round: () => [...ended].sort(([one], [other]) => one - other).flatMap(([, item]) => item ?? []),
    isSplit: messages.isSplit,
    characters: () => messages.characters() + calls.characters(),
    reasoningCharacters: () => reasoningCharacters,
  };
}
