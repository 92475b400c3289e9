// Assembles the output items of a response from its events, which may have their content in any of them.
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { RoundDecoding } from "../wire/round-decoding.ts";
import { Calls } from "./calls.ts";
import { namesOfItem, type TrackedItem } from "./identities.ts";
import { Messages } from "./messages.ts";
import { ReasoningItems } from "./reasoning.ts";
import type { RoundItem } from "./round-state.ts";

/** Collects the output of one response. */
export class Output {
  readonly messages: Messages;
  readonly calls: Calls;
  readonly reasoning: ReasoningItems;
  readonly #decoding: RoundDecoding;
  /** In the order of their beginning. */
  readonly #begun: TrackedItem[] = [];
  /** In the order of the final response. */
  readonly #listed: TrackedItem[] = [];
  /** Whether the server calls a message or call incomplete. */
  #hasCutItem = false;

  constructor(decoding: RoundDecoding) {
    this.#decoding = decoding;
    const onBegin = (item: TrackedItem) => {
      decoding.countPiece();
      this.#begun.push(item);
    };
    this.reasoning = new ReasoningItems(decoding, onBegin, () => this.messages.leave());
    this.messages = new Messages(decoding, onBegin, () => this.reasoning.show());
    this.calls = new Calls(decoding, onBegin, () => {
      this.reasoning.show();
      this.messages.leave();
    });
  }

  /** An event announces an item. */
  begin(event: JsonObject): void {
    if (!isJsonObject(event.item)) return;
    this.#kindOf(event.item)?.begin(namesOfItem(event.item, event), event.item);
  }

  /** An event has a complete item. */
  end(event: JsonObject): void {
    if (!isJsonObject(event.item)) return;
    if (this.#end(event.item, event, { isListed: false }) === null) this.#decoding.countPiece();
  }

  /** The response has ended with this output; `isCut` if it is incomplete. Returns whether it, or an item, is. */
  finish(output: unknown, isCut: boolean): boolean {
    const listed: readonly unknown[] = Array.isArray(output) ? output : [];
    for (const [index, item] of listed.entries()) {
      if (!isJsonObject(item)) continue;
      const known = this.#end(item, { output_index: index }, { isListed: true });
      if (known === null || known.isListed) continue;
      known.isListed = true;
      this.#listed.push(known);
    }
    this.reasoning.endAll();
    this.messages.endAll();
    this.messages.leave();
    const isAnyCut = isCut || this.#hasCutItem;
    this.calls.endAll(isAnyCut);
    return isAnyCut;
  }

  /** Ends an item; null if it is of another kind. */
  #end(item: JsonObject, event: JsonObject, how: { readonly isListed: boolean }): TrackedItem | null {
    const kind = this.#kindOf(item);
    if (kind === null) return null;
    if (kind !== this.reasoning && item.status === "incomplete") this.#hasCutItem = true;
    return kind.end(namesOfItem(item, event), item, how);
  }

  /** The complete items in order, as input items. */
  round(): readonly RoundItem[] {
    const items = this.#begun.every(({ isListed, round }) => isListed || round === null) ? this.#listed : this.#begun;
    return items.flatMap(({ round }) => round ?? []);
  }

  /** What collects items of that kind; null for those of built-in tools, which are not offered. */
  #kindOf({ type }: JsonObject): Messages | Calls | ReasoningItems | null {
    switch (type) {
      case "message":
        return this.messages;
      case "function_call":
        return this.calls;
      case "reasoning":
        return this.reasoning;
      default:
        return null;
    }
  }
}
