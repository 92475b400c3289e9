// A lexer of JSON bytes: finds the end of each token and what a string contains. Strict about RFC 8259 and UTF-8.

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPENING_BRACKET = 0x5b;
export const CLOSING_BRACKET = 0x5d;
export const OPENING_BRACE = 0x7b;
export const CLOSING_BRACE = 0x7d;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const LETTER_U = 0x75;

/** Classes of bytes within a string: most bytes are plain and need no closer look. */
const PLAIN = 0;
const SPECIAL = 1;
const STRING_BYTES = new Uint8Array(256).fill(SPECIAL);
STRING_BYTES.fill(PLAIN, 0x20, 0x80);
STRING_BYTES[QUOTE] = SPECIAL;
STRING_BYTES[BACKSLASH] = SPECIAL;

const ESCAPED = new Uint8Array(256);
for (const letter of '"\\/bfnrt') ESCAPED[letter.charCodeAt(0)] = 1;

const LITERALS = ["true", "false", "null"].map((word) => Array.from(word, (letter) => letter.charCodeAt(0)));

/** The bytes are not JSON, or not UTF-8, from position `at` on. */
export class NotJson extends Error {
  readonly at: number;
  readonly isNotUtf8: boolean;

  constructor(at: number, isNotUtf8 = false) {
    super("not JSON");
    this.at = at;
    this.isNotUtf8 = isNotUtf8;
  }
}

/** The result of scanning a string, or a part of one. */
export interface StringNotes {
  /** Where the scan stopped: after the closing quote if the string has ended, else between two characters. */
  end: number;
  hasEnded: boolean;
  hasEscapes: boolean;
  /** U+0000 as an escape; JSON forbids the raw character. */
  hasNul: boolean;
  /** Half a surrogate pair as an escape; UTF-8 forbids the raw one. */
  hasLoneSurrogate: boolean;
}

/** Whether a byte is white space between tokens. */
export function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/**
 * Scans a string from `start` to its end, or to a character boundary at or shortly after `stop`; updates `notes`.
 * Throws NotJson.
 */
export function scanString(bytes: Uint8Array, start: number, stop: number, notes: StringNotes): void {
  let at = start;
  do {
    while (at < stop && STRING_BYTES[bytes[at] as number] === PLAIN) at++;
    if (at >= stop && at < bytes.length) break;
    const byte = bytes[at];
    if (byte === QUOTE) {
      notes.end = at + 1;
      notes.hasEnded = true;
      return;
    }
    if (byte === BACKSLASH) at = scanEscape(bytes, at, notes);
    else if (byte !== undefined && byte >= 0x80) at = scanCharacter(bytes, at, byte);
    else throw new NotJson(at);
  } while (at < stop);
  notes.end = at;
  notes.hasEnded = false;
}

function scanEscape(bytes: Uint8Array, at: number, notes: StringNotes): number {
  notes.hasEscapes = true;
  const letter = bytes[at + 1];
  if (letter !== LETTER_U) {
    if (letter === undefined || ESCAPED[letter] !== 1) throw new NotJson(at + 1);
    return at + 2;
  }
  const unit = readUnit(bytes, at + 2);
  if (unit === 0) notes.hasNul = true;
  if (unit < 0xd800 || unit > 0xdfff) return at + 6;
  const isPair = unit < 0xdc00 && bytes[at + 6] === BACKSLASH && bytes[at + 7] === LETTER_U;
  const second = isPair ? readUnit(bytes, at + 8) : 0;
  if (second >= 0xdc00 && second <= 0xdfff) return at + 12;
  notes.hasLoneSurrogate = true;
  return at + 6;
}

/** Parses four hexadecimal digits. */
function readUnit(bytes: Uint8Array, at: number): number {
  let unit = 0;
  for (let digit = at; digit < at + 4; digit++) {
    const byte = bytes[digit] ?? 0;
    const lower = byte | 0x20;
    if (byte >= ZERO && byte <= 0x39) unit = unit * 16 + (byte - ZERO);
    else if (lower >= 0x61 && lower <= 0x66) unit = unit * 16 + (lower - 0x57);
    else throw new NotJson(digit);
  }
  return unit;
}

/** The end of a multi-byte character. Rejects overlong forms, surrogates and anything beyond U+10FFFF. */
function scanCharacter(bytes: Uint8Array, at: number, lead: number): number {
  const count = lead >= 0xc2 && lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (lead < 0xc2 || lead > 0xf4) throw new NotJson(at, true);
  const second = bytes[at + 1] ?? 0;
  const least = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const most = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (second < least || second > most) throw new NotJson(at, true);
  for (let next = at + 2; next < at + count; next++) {
    if (((bytes[next] ?? 0) & 0xc0) !== 0x80) throw new NotJson(at, true);
  }
  return at + count;
}

/** The end of the number or literal that starts at `start`. Throws NotJson. */
export function endOfScalar(bytes: Uint8Array, start: number): number {
  const first = bytes[start];
  for (const word of LITERALS) {
    if (first !== word[0]) continue;
    const wrong = word.findIndex((letter, index) => bytes[start + index] !== letter);
    if (wrong >= 0) throw new NotJson(start + wrong);
    return start + word.length;
  }
  let at = first === MINUS ? start + 1 : start;
  at = bytes[at] === ZERO ? at + 1 : endOfDigits(bytes, at);
  if (bytes[at] === POINT) at = endOfDigits(bytes, at + 1);
  if (((bytes[at] ?? 0) | 0x20) !== 0x65) return at;
  const sign = bytes[at + 1];
  return endOfDigits(bytes, sign === MINUS || sign === 0x2b ? at + 2 : at + 1);
}

/** The end of a run of one or more digits. */
function endOfDigits(bytes: Uint8Array, start: number): number {
  let at = start;
  for (let byte = bytes[at]; byte !== undefined && byte >= ZERO && byte <= 0x39; byte = bytes[at]) at++;
  if (at === start) throw new NotJson(at);
  return at;
}
