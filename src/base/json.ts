// JSON: values of unknown shape, where a string ends, and how long a text becomes.

/** A JSON object with unchecked values. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object: no array, not null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses JSON; undefined if it is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The end of the string that begins at `start`, after its closing quote; the text's length when it is not closed. */
export function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === "\\") backslashes++;
    // After an odd number of backslashes the quote is escaped.
    if (backslashes % 2 === 0) return quote + 1;
  }
  return text.length;
}

/** Characters that take one byte. */
const PLAIN = /^[ !#-[\]-~]*$/;
/** Control characters with an escape of two bytes. */
const SHORT_ESCAPES: ReadonlySet<number> = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d]);

/**
 * Bytes of a text's JSON without the quotes. The counts of pieces, cut anywhere, add up to the count of the whole text.
 */
export function countJsonBytes(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let bytes = 0;
  for (let at = 0; at < text.length; at++) bytes += bytesOf(text.charCodeAt(at));
  return bytes;
}

function bytesOf(unit: number): number {
  if (unit < 0x20) return SHORT_ESCAPES.has(unit) ? 2 : 6;
  if (unit < 0x80) return unit === 0x22 || unit === 0x5c ? 2 : 1;
  // Half of a four-byte character.
  if (unit >= 0xd800 && unit <= 0xdfff) return 2;
  return unit < 0x800 ? 2 : 3;
}
