// UTF-8 of a provider that may be invalid or cut: bytes that are no character become halves of surrogate pairs, which
// writing turns back into the same bytes.

/** An invalid byte as a code unit that no valid text has: a low surrogate, which no high one precedes. */
const INVALID = 0xdc00;

/** Reads bytes; `writeLoosely` gives the same ones for the result. */
export function readLoosely(bytes: Uint8Array): string {
  const valid = Buffer.from(bytes);
  const whole = valid.toString("utf8");
  if (Buffer.from(whole).equals(valid)) return whole;
  let text = "";
  for (let at = 0; at < valid.length; ) {
    const length = lengthOf(valid, at);
    text +=
      length === 0 ? String.fromCharCode(INVALID + (valid[at] as number)) : valid.toString("utf8", at, at + length);
    at += Math.max(1, length);
  }
  return text;
}

/** Writes a text that was read loosely. */
export function writeLoosely(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text);
  return Buffer.concat(
    Array.from(text, (character) =>
      character.isWellFormed() ? Buffer.from(character) : Buffer.from([character.charCodeAt(0) - INVALID]),
    ),
  );
}

/** The bytes of the character that begins there; 0 if none does. */
function lengthOf(bytes: Buffer, at: number): number {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length++) {
    const piece = bytes.subarray(at, at + length);
    if (Buffer.from(piece.toString("utf8")).equals(piece)) return length;
  }
  return 0;
}
