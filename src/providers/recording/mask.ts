// Replaces the characters of content by others of the same kind, so that a fixture keeps the shape of a real exchange and
// says nothing of it. The same text becomes the same replacement, and the beginning of a text the beginning of it: the
// deltas of a stream and its whole text still agree.
import { createHash, randomBytes } from "node:crypto";

/** The replacements of one recording. Every result has the length of its text, also in UTF-8 and in JSON. */
export interface Mask {
  /** Content: letters and digits become others of their kind; punctuation, spaces and control characters stay. */
  text(text: string): string;
  /** A name of a tool or of a property: as `text`, but two names never become one. */
  name(text: string): string;
  /** A number in JSON. */
  number(text: string): string;
  /** A message of an error: the words by which errors are known stay. */
  message(text: string): string;
  /** A regular expression: its syntax stays. */
  pattern(text: string): string;
}

const NAME_TRIES_MAX = 1_000;

/**
 * The words by which the errors of providers are known, in small letters. They stay in the messages of a recording,
 * since they may decide what an error means (wire/prompt-length.ts, wire/errors.ts).
 */
const KNOWN_WORDS: ReadonlySet<string> = new Set(
  `a an and any api are argument at available be because busy but by can capacity code completion completions contact context contexts
  count currently decoder demand down due error errors exceed exceeded exceeds experiencing failed for from full gateway
  given greater has have high http in initial input inputs instructions internal invalid is it its keep key length limit
  limits litellm contextwindowexceedederror longer max maximum max_tokens message messages min minute model model_max_prompt_tokens_exceeded more must no not
  number of on only or output overflows overloaded parameter passed please position prompt quota queue range rate reached reduce
  request requested requests required resource retry role second seconds server service should size slow slots submit supports temporarily
  text than that the this times timeout to token tokens too tool tools trying try unable unavailable unexpected unsupported up used
  validation value was when window with you your long large again later bad many`.split(/\s+/),
);

/** Creates the replacements of one recording. They follow from a random key that is kept nowhere. */
export function createMask(key: Uint8Array = randomBytes(32)): Mask {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const start = digest(key, "text");

  function text(from: string, state = start): string {
    let made = "";
    for (const character of from) {
      state = digest(state, character);
      made += replace(character, state.readUInt32BE(0));
    }
    return made;
  }

  function name(from: string): string {
    const known = names.get(from);
    if (known !== undefined) return known;
    let made = text(from);
    for (let tries = 1; taken.has(made) && tries < NAME_TRIES_MAX; tries++)
      made = text(from, digest(start, `${tries}`));
    names.set(from, made);
    taken.add(made);
    return made;
  }

  function number(from: string): string {
    const [, digits = "", exponent = ""] = /^([^eE]*)(.*)$/s.exec(from) ?? [];
    // JSON has no number that begins with a zero and another digit.
    const first = digits.search(/\d/);
    const made = text(digits);
    const isZero = digits[first] === "0";
    const leading = isZero ? "0" : made[first] === "0" ? "1" : made[first];
    return `${made.slice(0, first)}${leading}${made.slice(first + 1)}${exponent}`;
  }

  const message = (from: string) =>
    from.replace(WORD, (word) => (KNOWN_WORDS.has(word.toLowerCase()) ? word : text(word)));
  const pattern = (from: string) => from.replace(LITERAL, (letters) => text(letters));
  return { text, name, number, message, pattern };
}

const WORD = /[\p{L}\p{N}]+/gu;
/** Letters of a regular expression that stand for themselves: no escape, no range. */
const LITERAL = /(?<![\\\p{L}]|\\p\{\p{L}{0,30})\p{L}{3,}/gu;

function digest(state: Uint8Array, more: string): Buffer {
  return createHash("sha256").update(state).update(more).digest();
}

/** Sets of characters that take each other's place, as first and last code point; others do within 128 code points. */
const ALPHABETS: readonly (readonly [number, number])[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x61, 0x7a],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7a3],
  [0x1f300, 0x1faff],
];
const BLOCK = 128;
const CLASSES = [/\p{Lu}/u, /\p{Ll}/u, /\p{Lo}/u, /\p{Lm}/u, /\p{Lt}/u, /\p{M}/u, /\p{N}/u, /\p{So}/u] as const;

/** A character of the same class and length. Punctuation, spaces, controls and halves of pairs stay. */
function replace(character: string, random: number): string {
  const pattern = CLASSES.find((one) => one.test(character));
  if (pattern === undefined) return character;
  const point = character.codePointAt(0) as number;
  const [first, last] = ALPHABETS.find(([from, to]) => point >= from && point <= to) ?? blockOf(point);
  const size = last - first + 1;
  for (let step = 0; step < size; step++) {
    const other = String.fromCodePoint(first + ((random + step) % size));
    if (pattern.test(other)) return other;
  }
  return character;
}

/** The code points around one, of the same length in UTF-8. */
function blockOf(point: number): readonly [number, number] {
  const first = Math.max(point - (point % BLOCK), point < 0x80 ? 0 : 0x80);
  return [first, first + BLOCK - 1];
}
