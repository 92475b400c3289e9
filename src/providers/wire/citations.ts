// Citations of web pages, the only kind of annotation in the interface. @spec resources/content-parts
import type { UrlCitation } from "../../contract/items.ts";
import { countJsonBytes, isJsonObject } from "../../base/json.ts";
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

/** Emits the citations of one text, each once (OpenRouter repeats them in later chunks); those that come before the text wait for it. */
export class CitationOutput {
  readonly #decoding: RoundDecoding;
  readonly #seen = new Set<string>();
  #waiting: UrlCitation[] = [];
  #waitingBytes = 0;
  #hasText = false;

  constructor(decoding: RoundDecoding) {
    this.#decoding = decoding;
  }

  add(citation: UrlCitation): void {
    const key = `${citation.start_index} ${citation.end_index} ${citation.url}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    if (this.#hasText) return pushCitation(this.#decoding, citation);
    const bytes = countJsonBytes(citation.url) + countJsonBytes(citation.title);
    this.#decoding.defer(bytes, 0, 0);
    this.#waitingBytes += bytes;
    this.#waiting.push(citation);
  }

  /** The text has begun: emits the citations that waited for it. */
  begin(): void {
    this.#hasText = true;
    this.#decoding.defer(-this.#waitingBytes, 0, 0);
    for (const citation of this.#waiting) pushCitation(this.#decoding, citation);
    this.#waiting = [];
  }
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
