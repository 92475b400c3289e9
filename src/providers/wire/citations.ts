// Citations of web pages, the only kind of annotation in the interface. @spec resources/content-parts
import type { UrlCitation } from "../../contract/items.ts";
import { isJsonObject } from "../../base/json.ts";
import { readText } from "./json-shape.ts";
import type { RoundDecoding } from "./round-decoding.ts";

/** The URL citation in an annotation, flat as in responses or in a field of its own as in chat completions; null for others. */
export function readCitation(value: unknown): UrlCitation | null {
  if (!isJsonObject(value) || value.type !== "url_citation") return null;
  const {
    url,
    title,
    start_index: start,
    end_index: end,
  } = isJsonObject(value.url_citation) ? value.url_citation : value;
  if (typeof url !== "string" || !isIndex(start) || !isIndex(end)) return null;
  return { type: "url_citation", url, title: readText(title) ?? url, start_index: start, end_index: end };
}

function isIndex(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

/** Emits a citation of the open text, whose offsets count from `start` in it. */
export function pushCitation(decoding: RoundDecoding, { url, title, ...citation }: UrlCitation, start = 0): void {
  const annotation = {
    ...citation,
    url: decoding.clean(url),
    title: decoding.clean(title),
    start_index: citation.start_index + start,
    end_index: citation.end_index + start,
  };
  decoding.push({ type: "annotation", annotation });
}
