// The messages of a response. A server may send a text as deltas, at the end of its part or at the end of its message: it is taken from
// wherever it is, once.
import { countCharacters } from "../../contract/characters.ts";
import { MESSAGE_PHASES, type MessagePhase, type UrlCitation } from "../../contract/items.ts";
import { GrowingText } from "../../base/growing-text.ts";
import type { JsonObject } from "../../base/json.ts";
import type { RoundDecoding } from "../wire/round-decoding.ts";
import { pushCitation, readCitation } from "../wire/citations.ts";
import { TextOutput } from "../wire/text-output.ts";
import { Identities, type ItemNames, type TrackedItem, trackItem } from "./identities.ts";
import type { PlainDelta } from "./plain-delta.ts";
import { encodeMessage, readParts, type TextType, type WholePart } from "./whole-message.ts";

/** A piece of a text, or a whole one. */
export interface PartText extends ItemNames {
  readonly contentIndex: number | null;
  readonly text: string;
}

interface Message extends TrackedItem {
  readonly phase: MessagePhase | null;
  /** In order of appearance. */
  readonly parts: Part[];
  /** By type and content index. */
  readonly byIndex: Map<string, Part>;
  /** Citations received. */
  citations: number;
  /** The trimmed text of all parts, joined once however often their message ends; null when it has grown. */
  text: string | null;
}

interface Part {
  readonly message: Message;
  readonly type: TextType;
  readonly contentIndex: number | null;
  /** Characters of the texts before it in its message, which is one text for clients. */
  readonly start: number;
  readonly output: TextOutput;
  /** The text received. */
  readonly text: GrowingText;
  /** Whether the whole text has arrived. */
  isDone: boolean;
}

/** Collects the messages of one response. */
export class Messages {
  readonly #decoding: RoundDecoding;
  readonly #onShow: () => void;
  readonly #messages: Identities<Message>;
  /** The message open at the receiver. */
  #current: Message | null = null;
  #open: Part | null = null;
  /** The place in the plain deltas of the open part; null if unknown. */
  #place: string | null = null;
  /** Whether a message continued after another item: it became several messages, and the round cannot be replayed. */
  isSplit = false;

  /** `onBegin` is called with each new message, `onShow` before that. */
  constructor(decoding: RoundDecoding, onBegin: (message: TrackedItem) => void, onShow: () => void) {
    this.#decoding = decoding;
    this.#onShow = onShow;
    this.#messages = new Identities<Message>(onBegin);
  }

  /** A message is announced. */
  begin(names: ItemNames, item: JsonObject): void {
    if (this.#messages.ofAnnounced(names) === undefined) this.#begin(names, item);
  }

  /** Adds a plain delta if it continues the open part; returns whether it does. */
  continueText({ place, text }: PlainDelta): boolean {
    if (this.#open === null || place !== this.#place) return false;
    addTo(this.#open, text);
    return true;
  }

  /** The plain deltas of the open part have this place. */
  expect(place: string): void {
    if (this.#open !== null) this.#place = place;
  }

  /** The next piece of a text. */
  addText(type: TextType, piece: PartText): void {
    if (piece.text === "") return;
    const message = this.#messages.ofPart(piece) ?? this.#begin(piece, null);
    if (message.isEnded) return;
    const known = message.byIndex.get(keyOf(type, piece.contentIndex));
    if (known !== undefined) this.#reopen(known);
    addTo(known ?? this.#createPart(message, type, piece.contentIndex), piece.text);
  }

  /** The text of a part is complete. */
  endText(type: TextType, whole: PartText): void {
    if (whole.text === "") return;
    const message = this.#messages.ofPart(whole) ?? this.#begin(whole, null);
    const key = keyOf(type, whole.contentIndex);
    const placed = message.byIndex.get(key);
    if (message.isEnded || placed?.isDone === true) return;
    const last = message.parts.findLast((one) => one.type === type);
    // Some servers count the parts differently here than in the deltas: the text tells which one it is.
    const owner = [placed, last].find(
      (one) => one?.isDone === false && isSameText(one.text.whole().trim(), whole.text.trim()),
    );
    const part = owner ?? placed ?? this.#createPart(message, type, whole.contentIndex);
    message.byIndex.set(key, part);
    part.isDone = true;
    const known = part.text.whole();
    if (whole.text.startsWith(known)) this.#addRest(part, whole.text.slice(known.length));
  }

  addAnnotation(names: ItemNames, contentIndex: number | null, annotation: unknown): void {
    const message = this.#messages.ofPart(names);
    const citation = readCitation(annotation);
    // Before its text it is skipped, since the end of the message repeats it.
    if (citation === null || message === undefined) return;
    const part = message.byIndex.get(keyOf("text", contentIndex)) ?? lastText(message);
    if (part !== undefined) this.#cite(message, [citation], message.citations, part.start);
  }

  /** A message has ended. `isListed`: in the final response. */
  end(names: ItemNames, item: JsonObject, { isListed }: { readonly isListed: boolean }): Message {
    const wholes = readParts(item.content);
    const text = wholes
      .map((part) => part.text)
      .join("")
      .trim();
    const isSame = (one: Message) => isSameText((one.text ??= joinTexts(one.parts).trim()), text);
    const known = isListed ? this.#messages.ofListed(names, isSame) : this.#messages.ofEnded(names, isSame);
    const message = known ?? this.#begin(names, item);
    if (message.isEnded) this.#citeRest(message, wholes);
    else this.#end(message, wholes);
    return message;
  }

  /** Ends the messages whose end did not arrive. */
  endAll(): void {
    for (const message of this.#messages.all()) if (!message.isEnded) this.#end(message, []);
  }

  /** Another item follows: later text opens a new message. */
  leave(): void {
    this.#closePart();
    this.#current = null;
  }

  #begin(names: ItemNames, item: JsonObject | null): Message {
    this.#onShow();
    const phase = MESSAGE_PHASES.find((one) => one === item?.phase) ?? null;
    const message = {
      ...trackItem(names, item !== null),
      phase,
      parts: [],
      byIndex: new Map<string, Part>(),
      citations: 0,
      text: null,
    };
    this.#messages.add(message);
    this.#enter(message);
    return message;
  }

  #enter(message: Message): void {
    this.#closePart();
    this.#current = message;
    this.#decoding.push({ type: "message_started", phase: message.phase });
  }

  #createPart(message: Message, type: TextType, contentIndex: number | null): Part {
    this.#decoding.countPiece();
    const output = new TextOutput(this.#decoding, type);
    const before = type === "text" ? lastText(message) : undefined;
    const start = before === undefined ? 0 : before.start + countCharacters(before.text.whole());
    const part: Part = { message, type, contentIndex, start, output, text: new GrowingText(), isDone: false };
    this.#reopen(part);
    message.parts.push(part);
    message.byIndex.set(keyOf(type, contentIndex), part);
    return part;
  }

  /** Makes a part the open one; its message continues after another item if need be. */
  #reopen(part: Part): void {
    if (part === this.#open) return;
    this.#closePart();
    const { message } = part;
    if (message !== this.#current) {
      this.isSplit ||= message.parts.length > 0;
      this.#enter(message);
    }
    this.#open = part;
  }

  #addRest(part: Part, rest: string): void {
    if (rest === "") return;
    this.#reopen(part);
    addTo(part, rest);
  }

  /**
   * Emits citations of a text that starts there, unless they were: `seen` are before them in the message. Returns how many are seen then.
   * Behind its text there is no place for them.
   */
  #cite(message: Message, citations: readonly UrlCitation[], seen: number, start: number): number {
    const hasPlace = message === this.#current && message.parts.at(-1)?.type === "text";
    for (const citation of hasPlace ? citations.slice(Math.max(0, message.citations - seen)) : []) {
      message.citations++;
      pushCitation(this.#decoding, citation, start);
    }
    return seen + citations.length;
  }

  /** Emits the citations of a message that has ended that only a later whole has. */
  #citeRest(message: Message, wholes: readonly WholePart[]): void {
    let [seen, start] = [0, 0];
    for (const { type, text, citations } of wholes) {
      seen = this.#cite(message, citations, seen, start);
      if (type === "text") start += countCharacters(text);
    }
  }

  #closePart(): void {
    this.#open?.output.end();
    this.#open = null;
    this.#place = null;
  }

  #end(message: Message, wholes: readonly WholePart[]): void {
    this.#complete(message, wholes);
    this.#closePart();
    message.isEnded = true;
    const content = wholes.some(({ text }) => text !== "")
      ? wholes
      : message.parts.map(({ type, text }) => ({ type, text: text.whole() }));
    message.round = encodeMessage(message.names.id, message.phase, content);
  }

  /** Emits what has not arrived of a whole message. */
  #complete(message: Message, wholes: readonly WholePart[]): void {
    // The texts received that the whole has not shown yet; null after a difference, where those received stay.
    const received: Record<TextType, string | null> = {
      text: textOf(message, "text"),
      refusal: textOf(message, "refusal"),
    };
    let [seen, start] = [0, 0];
    for (const [contentIndex, { type, text, citations }] of wholes.entries()) {
      const known = received[type];
      if (known === null) continue;
      if (text !== "" && known.startsWith(text)) received[type] = known.slice(text.length);
      else if (!text.startsWith(known)) received[type] = null;
      else {
        received[type] = "";
        const last = message.parts.findLast((one) => one.type === type);
        const part = known === "" || last === undefined ? this.#createPart(message, type, contentIndex) : last;
        this.#addRest(part, text.slice(known.length));
        // An empty refusal.
        if (text === "") this.#decoding.push({ type, text });
      }
      seen = this.#cite(message, citations, seen, start);
      if (type === "text") start += countCharacters(text);
    }
  }
}

function addTo(part: Part, piece: string): void {
  part.message.text = null;
  part.text.add(piece);
  part.output.add(piece);
}

function lastText({ parts }: Message): Part | undefined {
  return parts.findLast(({ type }) => type === "text");
}

function keyOf(type: TextType, contentIndex: number | null): string {
  return `${type} ${contentIndex}`;
}

function textOf({ parts }: Message, type: TextType): string {
  return joinTexts(parts.filter((part) => part.type === type));
}

function joinTexts(parts: readonly Part[]): string {
  return parts.map(({ text }) => text.whole()).join("");
}

/** Whether one text begins with the other. Both are trimmed: some servers cut the white space around a whole text. */
function isSameText(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}
