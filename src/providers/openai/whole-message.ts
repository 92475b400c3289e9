// A complete message: its parts as the server sends them, and the message as it is sent back.
import type { MessagePhase, UrlCitation } from "../../contract/items.ts";
import { isJsonObject } from "../../base/json.ts";
import { readCitation } from "../wire/citations.ts";
import { readText } from "../wire/json-shape.ts";
import type { RoundMessage, RoundPart } from "./round-state.ts";

export type TextType = "text" | "refusal";

/** A part of a complete message. */
export interface WholePart {
  readonly type: TextType;
  readonly text: string;
  readonly citations: readonly UrlCitation[];
}

/** The parts of a whole message. Some servers send a string, or `text` for `output_text`. */
export function readParts(content: unknown): WholePart[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content, citations: [] }];
  return listOf(content).flatMap((part): WholePart[] => {
    if (!isJsonObject(part)) return [];
    if (part.type === "refusal" && typeof part.refusal === "string") {
      return [{ type: "refusal", text: part.refusal, citations: [] }];
    }
    const text = part.type === "output_text" || part.type === "text" ? readText(part.text) : null;
    if (text === null) return [];
    return [{ type: "text", text, citations: listOf(part.annotations).flatMap((one) => readCitation(one) ?? []) }];
  });
}

/**
 * A message as input; null if it is empty. Text alone is a string: parts require the id of their message, which servers that store
 * nothing look for in vain, together with that of the reasoning before it.
 */
export function encodeMessage(
  id: string | null,
  phase: MessagePhase | null,
  parts: readonly Pick<WholePart, "type" | "text">[],
): RoundMessage | null {
  if (parts.length === 0) return null;
  const own = { type: "message", role: "assistant", ...(phase === null ? {} : { phase }) } as const;
  if (parts.every(({ type }) => type === "text")) return { ...own, content: parts.map(({ text }) => text).join("") };
  return { ...own, ...(id === null ? {} : { id }), status: "completed", content: parts.map(toRoundPart) };
}

function toRoundPart({ type, text }: Pick<WholePart, "type" | "text">): RoundPart {
  return type === "text" ? { type: "output_text", text, annotations: [] } : { type, refusal: text };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
