// One pass over the bytes of a JSON text before it is parsed. It counts values and levels, and finds what JSON.parse would
// lose or let through: digits of numbers, U+0000, half a surrogate pair. Whether the text is valid is left to JSON.parse.
import { type ExactNumber, isExactNumber, readNumberExactly } from "../../base/exact-json.ts";

const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const LETTER_D = 0x64;
const LETTER_E = 0x65;
const LETTER_U = 0x75;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
/** Shortest integer that a double may not hold, characters. */
const LONG_CHARACTERS = 16;

const TEXT = new TextDecoder();

/** A number that JavaScript would write differently, and where it stands. */
export interface UnusualNumber {
  readonly start: number;
  readonly end: number;
  readonly value: ExactNumber;
}

/** Goes over a text in steps, so that other requests can be served in between. */
export class JsonPass {
  readonly #bytes: Uint8Array;
  readonly #numbers: UnusualNumber[] = [];
  #at = 0;
  #isInString = false;
  /** The first byte of the last token. */
  #last = 0;
  #depth = 0;
  /** Whether the text is known not to be JSON. */
  #isInvalid = false;
  /** Strings, numbers, literals, arrays and objects so far. */
  values = 1;
  /** Levels of the deepest array or object. */
  depthMax = 0;
  /** Whether a string contains U+0000 as an escape; JSON forbids the raw character. */
  hasNul = false;
  /** Whether a string contains half a surrogate pair as an escape; UTF-8 forbids the raw one. */
  hasLoneSurrogate = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The numbers that need their digits, in order. A mark may stand for each of them without making the text valid. */
  get unusualNumbers(): readonly UnusualNumber[] {
    return this.#isInvalid ? [] : this.#numbers;
  }

  /** Goes over about `bytesMax` more bytes; true at the end. */
  step(bytesMax: number): boolean {
    const bytes = this.#bytes;
    const stop = Math.min(bytes.length, this.#at + bytesMax);
    let at = this.#at;
    while (at < stop) {
      const byte = bytes[at] as number;
      if (!this.#isInString) at = byte <= 0x20 ? at + 1 : this.#passToken(byte, at);
      else if (byte === BACKSLASH) at = this.#passEscape(at);
      else if (byte === QUOTE) {
        this.#isInString = false;
        at++;
      } else
        do at++;
        while (at < stop && bytes[at] !== QUOTE && bytes[at] !== BACKSLASH);
    }
    this.#at = at;
    return at >= bytes.length;
  }

  /** The end of a token, or the beginning of a string's content. */
  #passToken(byte: number, at: number): number {
    const before = this.#last;
    this.#last = byte;
    switch (byte) {
      case QUOTE:
        this.#isInString = true;
        break;
      case OPENING_BRACE:
      case OPENING_BRACKET:
        this.values++;
        this.depthMax = Math.max(this.depthMax, ++this.#depth);
        break;
      case CLOSING_BRACE:
      case CLOSING_BRACKET:
        this.#depth--;
        // An empty one has no first value.
        if (before === OPENING_BRACE || before === OPENING_BRACKET) this.values--;
        break;
      case COMMA:
        this.values++;
        break;
      case COLON:
        if (before !== QUOTE) this.#isInvalid = true;
        break;
      default:
        if (byte === MINUS || isDigit(byte)) return this.#passNumber(at);
    }
    return at + 1;
  }

  #passNumber(start: number): number {
    const bytes = this.#bytes;
    let isPlain = bytes[start] !== MINUS;
    let end = start + 1;
    for (let byte = bytes[end]; isOfNumber(byte); byte = bytes[++end]) if (!isDigit(byte)) isPlain = false;
    if (this.#isInvalid || (isPlain && end - start < LONG_CHARACTERS)) return end;
    const value = parseNumber(TEXT.decode(bytes.subarray(start, end)));
    if (isExactNumber(value)) this.#numbers.push({ start, end, value });
    // Without this check, numbers that no comma separates would not be bounded by the count of values.
    if (value === undefined || this.#numbers.length > this.values) this.#isInvalid = true;
    return end;
  }

  /** The end of an escape, or of the two of a surrogate pair. */
  #passEscape(at: number): number {
    const bytes = this.#bytes;
    if (bytes[at + 1] !== LETTER_U) return at + 2;
    const half = this.#halfAt(at);
    if (half === "first" && this.#halfAt(at + 6) === "second") return at + 12;
    if (half !== null) this.hasLoneSurrogate = true;
    else if (bytes[at + 2] === ZERO && bytes[at + 3] === ZERO && bytes[at + 4] === ZERO && bytes[at + 5] === ZERO)
      this.hasNul = true;
    return at + 2;
  }

  /** The half of a surrogate pair that is escaped at `at`. */
  #halfAt(at: number): "first" | "second" | null {
    const bytes = this.#bytes;
    if (bytes[at] !== BACKSLASH || bytes[at + 1] !== LETTER_U) return null;
    if (((bytes[at + 2] ?? 0) | 0x20) !== LETTER_D) return null;
    const digit = (bytes[at + 3] ?? 0) | 0x20;
    if (digit < 0x38) return null;
    return digit >= 0x63 ? "second" : "first";
  }
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}

function isOfNumber(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  return isDigit(byte) || byte === POINT || byte === MINUS || byte === PLUS || (byte | 0x20) === LETTER_E;
}

/** Undefined: not a JSON number. */
function parseNumber(text: string): unknown {
  try {
    return readNumberExactly(text);
  } catch {
    return undefined;
  }
}
