// The messages of a response: texts and refusals by delta, each with its place, and whole at its end.
import { countCharacters } from "../../contract/characters.ts";
import { MESSAGE_PHASES, type MessagePhase, type UrlCitation } from "../../contract/items.ts";
import type { ProviderPart } from "../../ports/provider.ts";
import { isRecord, type JsonRecord, readText } from "../json-shape.ts";
import { createTextCleaner } from "../text-cleaner.ts";
import type { RoundMessage, RoundPart } from "./round-state.ts";

export type TextType = "text" | "refusal";

export interface Messages {
  begin(index: number, item: JsonRecord): void;
  addText(type: TextType, index: number, contentIndex: number, delta: string): void;
  addAnnotation(index: number, contentIndex: number, annotation: unknown): void;
  /** Tells what is missing of a message; answers what it is as input, null when it is empty. */
  end(index: number, item: JsonRecord): RoundMessage | null;
  /** Something else follows: a text that comes later opens a message of its own. */
  leave(): void;
  /** Whether a message went on after something else had followed it. */
  isSplit(): boolean;
  /** Characters put out. */
  characters(): number;
}

interface Message {
  readonly phase: MessagePhase | null;
  /** By content index. */
  readonly parts: Map<number, Part>;
}

interface Part {
  readonly message: Message;
  readonly index: number;
  readonly contentIndex: number;
  readonly type: TextType;
  /** Characters that came. */
  length: number;
  /** Citations handed over. */
  citations: number;
}

/** Collects the messages of one response. */
export function createMessages({
  push,
  unreadable,
}: {
  push(part: ProviderPart): void;
  unreadable(): Error;
}): Messages {
  const messages = new Map<number, Message>();
  const cleaner = createTextCleaner(unreadable);
  /** The message that is open on the other side. */
  let current: Message | null = null;
  let open: Part | null = null;
  let isSplit = false;
  let characters = 0;

  function begin(index: number, item: JsonRecord): Message {
    const known = messages.get(index);
    if (known !== undefined) return known;
    const phase = MESSAGE_PHASES.find((one) => one === item.phase) ?? null;
    const message: Message = { phase, parts: new Map() };
    messages.set(index, message);
    enter(message);
    return message;
  }

  function enter(message: Message): void {
    closePart();
    current = message;
    push({ type: "message_started", phase: message.phase });
  }

  function openPart(type: TextType, index: number, contentIndex: number): Part {
    closePart();
    const message = begin(index, {});
    if (current !== message) {
      isSplit ||= message.parts.size > 0;
      enter(message);
    }
    let part = message.parts.get(contentIndex);
    if (part === undefined) {
      part = { message, index, contentIndex, type, length: 0, citations: 0 };
      message.parts.set(contentIndex, part);
    }
    open = part;
    return part;
  }

  function addText(type: TextType, index: number, contentIndex: number, delta: string): void {
    const part =
      open !== null && open.index === index && open.contentIndex === contentIndex
        ? open
        : openPart(type, index, contentIndex);
    part.length += delta.length;
    characters += countCharacters(delta);
    const text = cleaner.clean(delta);
    if (text !== "") push({ type: part.type, text });
  }

  /** Half a character at the end of a text that got no other half is told as what it is. */
  function closePart(): void {
    if (open === null) return;
    const rest = cleaner.end();
    if (rest !== "") push({ type: open.type, text: rest });
    open = null;
  }

  function addAnnotation(index: number, contentIndex: number, annotation: unknown): void {
    const citation = readCitation(annotation);
    const part = messages.get(index)?.parts.get(contentIndex);
    // Before its text: the message's end tells it again. After its message: it has no place any more.
    if (citation === null || part === undefined || part.message !== current) return;
    part.citations++;
    push({ type: "annotation", annotation: citation });
  }

  function end(index: number, item: JsonRecord): RoundMessage | null {
    const message = begin(index, item);
    const parts: RoundPart[] = [];
    for (const [contentIndex, whole] of listOf(item.content).entries()) {
      if (!isRecord(whole)) continue;
      const known = message.parts.get(contentIndex);
      if (whole.type === "refusal" && typeof whole.refusal === "string") {
        addRest("refusal", index, contentIndex, whole.refusal);
        parts.push({ type: "refusal", refusal: whole.refusal });
      } else if (whole.type === "output_text" && typeof whole.text === "string" && whole.text !== "") {
        addRest("text", index, contentIndex, whole.text);
        const citations = listOf(whole.annotations).filter((one) => readCitation(one) !== null);
        for (const one of citations.slice(known?.citations ?? 0)) addAnnotation(index, contentIndex, one);
        parts.push({ type: "output_text", text: whole.text, annotations: [] });
      }
    }
    closePart();
    if (parts.length === 0) return null;
    const phase = message.phase === null ? {} : { phase: message.phase };
    return { type: "message", role: "assistant", status: "completed", content: parts, ...phase };
  }

  /** What is missing of a text that is known whole; a refusal without a word is told too. */
  function addRest(type: TextType, index: number, contentIndex: number, whole: string): void {
    const known = messages.get(index)?.parts.get(contentIndex);
    const rest = whole.slice(known?.length ?? 0);
    if (rest !== "") addText(type, index, contentIndex, rest);
    else if (known === undefined) {
      openPart(type, index, contentIndex);
      push({ type, text: "" });
    }
  }

  return {
    begin,
    addText,
    addAnnotation,
    end,
    leave() {
      closePart();
      current = null;
    },
    isSplit: () => isSplit,
    characters: () => characters,
  };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A citation of the one kind that the interface has; null for the others. */
function readCitation(value: unknown): UrlCitation | null {
  if (!isRecord(value) || value.type !== "url_citation") return null;
  const { url, title, start_index: start, end_index: end } = value;
  if (typeof url !== "string" || !isIndex(start) || !isIndex(end)) return null;
  return { type: "url_citation", url, title: readText(title) ?? url, start_index: start, end_index: end };
}

function isIndex(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}
