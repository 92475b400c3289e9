// The messages of a response: texts and refusals as deltas with their indexes, and complete at the end of a message.
import { MESSAGE_PHASES, type MessagePhase, type UrlCitation } from "../../contract/items.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { readText } from "../wire/json-shape.ts";
import type { RoundDecoding } from "../wire/round-decoding.ts";
import { TextOutput } from "../wire/text-output.ts";
import type { RoundMessage, RoundPart } from "./round-state.ts";

export type TextType = "text" | "refusal";

interface Message {
  readonly phase: MessagePhase | null;
  /** By content index. */
  readonly parts: Map<number, Part>;
}

interface Part {
  readonly message: Message;
  readonly index: number;
  readonly contentIndex: number;
  readonly output: TextOutput;
  /** Characters received. */
  length: number;
  /** Citations emitted. */
  citations: number;
}

/** Collects the messages of one response, by their index in the output and that of their parts in the content. */
export class Messages {
  readonly #decoding: RoundDecoding;
  readonly #messages = new Map<number, Message>();
  /** The message open at the receiver. */
  #current: Message | null = null;
  #open: Part | null = null;
  /** Whether a message continued after another item: it became several messages, and the round cannot be replayed. */
  isSplit = false;

  constructor(decoding: RoundDecoding) {
    this.#decoding = decoding;
  }

  begin(index: number, item: JsonObject): Message {
    const known = this.#messages.get(index);
    if (known !== undefined) return known;
    const phase = MESSAGE_PHASES.find((one) => one === item.phase) ?? null;
    const message: Message = { phase, parts: new Map() };
    this.#messages.set(index, message);
    this.#enter(message);
    return message;
  }

  addText(type: TextType, index: number, contentIndex: number, delta: string): void {
    const open = this.#open;
    const isOpen = open !== null && open.index === index && open.contentIndex === contentIndex;
    const part = isOpen ? open : this.#openPart(type, index, contentIndex);
    part.length += delta.length;
    part.output.add(delta);
  }

  addAnnotation(index: number, contentIndex: number, annotation: unknown): void {
    const citation = readCitation(annotation);
    const part = this.#messages.get(index)?.parts.get(contentIndex);
    // Before its text it is skipped, since the end of the message repeats it. After its message it has no place.
    if (citation === null || part === undefined || part.message !== this.#current) return;
    part.citations++;
    const [url, title] = [this.#decoding.clean(citation.url), this.#decoding.clean(citation.title)];
    this.#decoding.push({ type: "annotation", annotation: { ...citation, url, title } });
  }

  /** Emits the rest of a message; returns the message as an input item, null if it is empty. */
  end(index: number, item: JsonObject): RoundMessage | null {
    const message = this.begin(index, item);
    const parts: RoundPart[] = [];
    for (const [contentIndex, whole] of listOf(item.content).entries()) {
      if (!isJsonObject(whole)) continue;
      const known = message.parts.get(contentIndex);
      if (whole.type === "refusal" && typeof whole.refusal === "string") {
        this.#addRest("refusal", index, contentIndex, whole.refusal);
        parts.push({ type: "refusal", refusal: whole.refusal });
      } else if (whole.type === "output_text" && typeof whole.text === "string" && whole.text !== "") {
        this.#addRest("text", index, contentIndex, whole.text);
        const citations = listOf(whole.annotations).filter((one) => readCitation(one) !== null);
        for (const one of citations.slice(known?.citations ?? 0)) this.addAnnotation(index, contentIndex, one);
        parts.push({ type: "output_text", text: whole.text, annotations: [] });
      }
    }
    this.#closePart();
    if (parts.length === 0) return null;
    const phase = message.phase === null ? {} : { phase: message.phase };
    return { type: "message", role: "assistant", status: "completed", content: parts, ...phase };
  }

  /** Another item follows: later text opens a new message. */
  leave(): void {
    this.#closePart();
    this.#current = null;
  }

  #enter(message: Message): void {
    this.#closePart();
    this.#current = message;
    this.#decoding.push({ type: "message_started", phase: message.phase });
  }

  #openPart(type: TextType, index: number, contentIndex: number): Part {
    this.#closePart();
    const message = this.begin(index, {});
    if (this.#current !== message) {
      this.isSplit ||= message.parts.size > 0;
      this.#enter(message);
    }
    let part = message.parts.get(contentIndex);
    if (part === undefined) {
      const output = new TextOutput(this.#decoding, type);
      part = { message, index, contentIndex, output, length: 0, citations: 0 };
      message.parts.set(contentIndex, part);
    }
    this.#open = part;
    return part;
  }

  /** Ends the open part and emits the rest of its text. */
  #closePart(): void {
    this.#open?.output.end();
    this.#open = null;
  }

  /** Emits the rest of a complete text; also an empty refusal. */
  #addRest(type: TextType, index: number, contentIndex: number, whole: string): void {
    const known = this.#messages.get(index)?.parts.get(contentIndex);
    const rest = whole.slice(known?.length ?? 0);
    if (rest !== "") this.addText(type, index, contentIndex, rest);
    else if (known === undefined) {
      this.#openPart(type, index, contentIndex);
      this.#decoding.push({ type, text: "" });
    }
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A URL citation, the only kind in the interface; null for others. */
function readCitation(value: unknown): UrlCitation | null {
  if (!isJsonObject(value) || value.type !== "url_citation") return null;
  const { url, title, start_index: start, end_index: end } = value;
  if (typeof url !== "string" || !isIndex(start) || !isIndex(end)) return null;
  return { type: "url_citation", url, title: readText(title) ?? url, start_index: start, end_index: end };
}

function isIndex(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}
