// The size of a text as JSON in UTF-8.

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
