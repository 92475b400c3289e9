// The reasoning of a response: shown to the client, and sent back to the model. A server may send its texts as deltas, at the end of each or
// with the item: they are taken from wherever they are, once.
import { countCharacters } from "../../contract/characters.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { DeferredReasoning } from "../wire/deferred-reasoning.ts";
import { readText } from "../wire/json-shape.ts";
import type { RoundDecoding } from "../wire/round-decoding.ts";
import { Identities, type ItemNames, type TrackedItem, trackItem } from "./identities.ts";
import type { RoundReasoning } from "./round-state.ts";

type Field = "summary" | "content";

/** A piece of a thought, or a whole one. */
export interface Thought extends ItemNames {
  readonly field: Field;
  /** Its place in that field. */
  readonly place: number | null;
  readonly text: string;
}

interface Reasoning extends TrackedItem {
  readonly announced: JsonObject;
  /** The texts that arrived in events of their own, by field and place. */
  readonly thoughts: Map<string, DeferredReasoning>;
  isShown: boolean;
  /** Null until it has ended. */
  texts: Texts | null;
}

type Texts = Readonly<Record<Field, readonly string[]>>;

/** Collects the reasoning of one response. */
export class ReasoningItems {
  readonly #decoding: RoundDecoding;
  readonly #onShow: () => void;
  readonly #items: Identities<Reasoning>;
  /** The newest item with thoughts, until it is shown. */
  #thinking: Reasoning | null = null;

  /** `onBegin` is called with each new item, `onShow` before one is shown. */
  constructor(decoding: RoundDecoding, onBegin: (item: TrackedItem) => void, onShow: () => void) {
    this.#decoding = decoding;
    this.#onShow = onShow;
    this.#items = new Identities<Reasoning>(onBegin);
  }

  /** An item is announced. */
  begin(names: ItemNames, item: JsonObject): void {
    if (this.#items.ofAnnounced(names) === undefined) this.#begin(names, item, true);
  }

  /** The next piece of a thought. */
  think(thought: Thought): void {
    this.#think(thought, "add");
  }

  /** A whole thought: it replaces the pieces that have arrived. */
  replaceThought(thought: Thought): void {
    this.#think(thought, "replace");
  }

  #think(thought: Thought, how: "add" | "replace"): void {
    const item = this.#items.ofPart(thought) ?? this.#begin(thought, {}, false);
    if (item.isEnded || thought.text === "") return;
    this.#thinking = item;
    const key = `${thought.field} ${thought.place}`;
    let text = item.thoughts.get(key);
    if (text === undefined || how === "replace") {
      this.#decoding.countPiece();
      text?.release();
      item.thoughts.set(key, (text = new DeferredReasoning(this.#decoding)));
    }
    text.add(thought.text);
  }

  /** An item has ended. `isListed`: in the final response. */
  end(names: ItemNames, item: JsonObject, { isListed }: { readonly isListed: boolean }): Reasoning {
    const isSame = (one: Reasoning) => one.texts === null || hasTexts(one.texts, item);
    const known = isListed ? this.#items.ofListed(names, isSame) : this.#items.ofEnded(names, isSame);
    const reasoning = known ?? this.#begin(names, item, true);
    if (!reasoning.isEnded) this.#end(reasoning, item);
    return reasoning;
  }

  /** Ends the items whose end did not arrive. */
  endAll(): void {
    for (const item of this.#items.all()) if (!item.isEnded) this.#end(item, item.announced);
  }

  /** Another kind of item begins: shows thoughts whose item has not ended, before it. */
  show(): void {
    const item = this.#thinking;
    // Not again when thoughts follow: joining them each time would be quadratic.
    if (item !== null && !item.isShown) this.#show(item, readThoughts(item, {}), null);
  }

  #begin(names: ItemNames, announced: JsonObject, isAnnounced: boolean): Reasoning {
    const item: Reasoning = {
      ...trackItem(names, isAnnounced),
      announced,
      thoughts: new Map(),
      isShown: false,
      texts: null,
    };
    this.#items.add(item);
    return item;
  }

  #end(reasoning: Reasoning, item: JsonObject): void {
    const texts = readThoughts(reasoning, item);
    const encrypted = readText(item.encrypted_content);
    if (encrypted !== null) this.#decoding.countState(encrypted.length);
    this.#show(reasoning, texts, encrypted);
    reasoning.isEnded = true;
    reasoning.texts = texts;
    for (const text of reasoning.thoughts.values()) text.release();
    reasoning.thoughts.clear();
    reasoning.round = toRound(texts, encrypted, readText(item.id) ?? reasoning.names.id);
  }

  #show(reasoning: Reasoning, { summary, content }: Texts, encrypted: string | null): void {
    if (this.#thinking === reasoning) this.#thinking = null;
    // Other servers of this wire send plain reasoning and no summary.
    const shown = summary.length > 0 ? summary : content;
    if (reasoning.isShown || (shown.length === 0 && encrypted === null)) return;
    reasoning.isShown = true;
    this.#onShow();
    for (const text of reasoning.thoughts.values()) text.release();
    for (const text of shown) this.#decoding.reasoningCharacters += countCharacters(text);
    const clean = (text: string) => this.#decoding.clean(text);
    const encryptedContent = encrypted === null ? null : clean(encrypted);
    this.#decoding.push({ type: "reasoning", summary: shown.map(clean), encryptedContent });
  }
}

/** The texts of an item: its own, or else those that arrived before it. */
function readThoughts({ thoughts }: Reasoning, item: JsonObject): Texts {
  const own = { summary: readTexts(item.summary), content: readTexts(item.content) };
  if (own.summary.length > 0 || own.content.length > 0) return own;
  // Some servers count the places differently at the end of a thought: its text tells.
  const received = (field: Field) => [
    ...new Set([...thoughts].flatMap(([key, text]) => (key.startsWith(field) ? text.whole() : []))),
  ];
  return { summary: received("summary"), content: received("content") };
}

/**
 * An item as input; null if there is nothing to send back. Its id stays: some servers require one, and OpenAI checks that encrypted
 * reasoning is that of its item.
 */
function toRound({ summary, content }: Texts, encrypted: string | null, id: string | null): RoundReasoning | null {
  const own = {
    type: "reasoning",
    ...(id === null ? {} : { id }),
    summary: summary.map((text) => ({ type: "summary_text", text }) as const),
  } as const;
  if (encrypted !== null) return { ...own, encrypted_content: encrypted };
  if (content.length === 0) return null;
  return { ...own, content: content.map((text) => ({ type: "reasoning_text", text }) as const) };
}

/** Whether an item has these texts, or none. */
function hasTexts(texts: Texts, item: JsonObject): boolean {
  return (["summary", "content"] as const).every((field) => {
    const own = readTexts(item[field]);
    return (
      own.length === 0 || (own.length === texts[field].length && own.every((text, at) => text === texts[field][at]))
    );
  });
}

/** The texts of a list of `{text}`. */
function readTexts(value: unknown): string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return list.flatMap((one) => (isJsonObject(one) ? (readText(one.text) ?? []) : []));
}
