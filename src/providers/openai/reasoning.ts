// Reads a reasoning item: the part for the client, and the item sent back to the model.
import type { ProviderPart } from "../../ports/provider.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { readText } from "../wire/json-shape.ts";
import type { RoundReasoning } from "./round-state.ts";

export interface ReadReasoning {
  /** Null if there is nothing to show. */
  readonly part: Extract<ProviderPart, { type: "reasoning" }> | null;
  /** Null if there is nothing to send back. */
  readonly round: RoundReasoning | null;
}

/** Reads a complete item; `clean` makes texts storable. */
export function readReasoning(item: JsonObject, clean: (text: string) => string): ReadReasoning {
  const summary = readTexts(item.summary);
  const content = readTexts(item.content);
  const encrypted = readText(item.encrypted_content);
  // Other servers of this wire send plain reasoning and no summary.
  const shown = summary.length > 0 ? summary : content;
  const encryptedContent = encrypted === null ? null : clean(encrypted);
  const isEmpty = shown.length === 0 && encryptedContent === null;
  return {
    part: isEmpty ? null : { type: "reasoning", summary: shown.map(clean), encryptedContent },
    round: toRound(summary, content, encrypted),
  };
}

function toRound(
  summary: readonly string[],
  content: readonly string[],
  encrypted: string | null,
): RoundReasoning | null {
  const own = { type: "reasoning", summary: summary.map((text) => ({ type: "summary_text", text }) as const) } as const;
  if (encrypted !== null) return { ...own, encrypted_content: encrypted };
  if (content.length === 0) return null;
  return { ...own, content: content.map((text) => ({ type: "reasoning_text", text }) as const) };
}

/** The texts of a list of `{text}`. */
function readTexts(value: unknown): string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return list.flatMap((one) => (isJsonObject(one) ? (readText(one.text) ?? []) : []));
}
