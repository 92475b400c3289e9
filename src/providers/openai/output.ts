// Assembles the output items of a response from its events. Every item is complete in its last event, from which missing deltas are
// emitted.
import { BLOCKS_MAX } from "../wire/bounds.ts";
import { countCharacters } from "../../contract/characters.ts";
import { isJsonObject } from "../../base/json.ts";
import type { RoundDecoding } from "../wire/round-decoding.ts";
import { Calls } from "./calls.ts";
import { Messages } from "./messages.ts";
import { readReasoning } from "./reasoning.ts";
import type { RoundItem } from "./round-state.ts";

/** Collects the output of one response. */
export class Output {
  readonly messages: Messages;
  readonly calls: Calls;
  readonly #decoding: RoundDecoding;
  /** Ended items as input items; null for items that cannot be input. */
  readonly #ended = new Map<number, RoundItem | null>();

  constructor(decoding: RoundDecoding) {
    this.#decoding = decoding;
    this.messages = new Messages(decoding);
    this.calls = new Calls(decoding);
  }

  /** An item begins at this index of the output. */
  begin(index: number, item: unknown): void {
    if (!isJsonObject(item) || this.#ended.has(index)) return;
    if (item.type === "message") this.messages.begin(index, item);
    else if (item.type === "function_call") {
      this.messages.leave();
      this.calls.begin(index, item);
    }
  }

  /** An item has ended; `item` is complete. */
  end(index: number, item: unknown): void {
    if (!isJsonObject(item) || this.#ended.has(index)) return;
    if (this.#ended.size === BLOCKS_MAX) throw this.#decoding.fail("The provider sent a response of too many items.");
    this.begin(index, item);
    switch (item.type) {
      case "message":
        this.#ended.set(index, this.messages.end(index, item));
        return;
      case "function_call":
        // A truncated call stays open: the turn ends incomplete.
        if (item.status !== "incomplete") this.#ended.set(index, this.calls.end(index, item));
        return;
      case "reasoning": {
        const decoding = this.#decoding;
        const { part, round } = readReasoning(item, (text) => decoding.clean(text));
        this.#ended.set(index, round);
        if (part === null) return;
        this.messages.leave();
        for (const text of part.summary) decoding.reasoningCharacters += countCharacters(text);
        decoding.push(part);
        return;
      }
      default:
        // Items of built-in tools, which are not offered.
        this.#ended.set(index, null);
    }
  }

  /** The response has ended with this output; `isCut` if it is incomplete. */
  finish(output: unknown, isCut: boolean): void {
    if (Array.isArray(output) && output.length > this.#ended.size) {
      for (const [index, item] of output.entries()) this.end(index, item);
    }
    this.messages.leave();
    if (isCut) return;
    for (const index of this.calls.open()) this.#ended.set(index, this.calls.end(index, {}));
  }

  /** The complete items in order, as input items. */
  round(): readonly RoundItem[] {
    return [...this.#ended].sort(([one], [other]) => one - other).flatMap(([, item]) => item ?? []);
  }
}
