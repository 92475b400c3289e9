// Creates a short text that matches a regular expression of literals, classes, groups, alternatives and counts.
// Lookaround and back references are not supported.

/** Largest count such as {3}, and longest text. */
const COUNT_MAX = 1_000;
/** Longest pattern, characters. Bounds the recursion: each bracket is a call. */
const PATTERN_CHARACTERS_MAX = 2_000;

/**
 * The shortest match, of at least `length` characters if an open count allows it; null if the pattern is not supported.
 */
export function createMatch(pattern: string, length: number): string | null {
  if (pattern.length > PATTERN_CHARACTERS_MAX) return null;
  const cursor: Cursor = { pattern, position: 0, fill: 0 };
  const shortest = readWhole(cursor);
  if (shortest === null || shortest.length >= length) return shortest;
  return readWhole({ pattern, position: 0, fill: Math.min(length, COUNT_MAX) });
}

interface Cursor {
  readonly pattern: string;
  position: number;
  /** Least repetitions of an open count (`*`, `+`, `{2,}`). */
  readonly fill: number;
}

function readWhole(cursor: Cursor): string | null {
  const text = readAlternatives(cursor);
  return cursor.position === cursor.pattern.length ? text : null;
}

/** `a|b`: the first alternative; the others are skipped. */
function readAlternatives(cursor: Cursor): string | null {
  let chosen = readSequence(cursor);
  while (cursor.pattern[cursor.position] === "|") {
    cursor.position++;
    const other = readSequence(cursor);
    if (other === null) chosen = null;
  }
  return chosen;
}

function readSequence(cursor: Cursor): string | null {
  let text = "";
  while (cursor.position < cursor.pattern.length) {
    const next = cursor.pattern[cursor.position];
    if (next === "|" || next === ")") break;
    const atom = readAtom(cursor);
    if (atom === null) return null;
    const count = readCount(cursor);
    if (count === null) return null;
    text += atom.repeat(count);
    if (text.length > COUNT_MAX) return null;
  }
  return text;
}

/** A text that matches one character, class or group; null if it is not supported. */
function readAtom(cursor: Cursor): string | null {
  const next = cursor.pattern[cursor.position++];
  switch (next) {
    case "^":
    case "$":
      return "";
    case ".":
      return "a";
    case "[":
      return readClass(cursor);
    case "(":
      return readGroup(cursor);
    case "\\":
      return readEscape(cursor);
    case "*":
    case "+":
    case "?":
    case undefined:
      return null;
    default:
      return next;
  }
}

function readGroup(cursor: Cursor): string | null {
  if (cursor.pattern.startsWith("?:", cursor.position)) cursor.position += 2;
  else if (cursor.pattern[cursor.position] === "?") {
    const name = /^\?<[A-Za-z_]\w*>/.exec(cursor.pattern.slice(cursor.position));
    if (name === null) return null;
    cursor.position += name[0].length;
  }
  const text = readAlternatives(cursor);
  return cursor.pattern[cursor.position++] === ")" ? text : null;
}

const CLASS_EXAMPLES: ReadonlyMap<string, string> = new Map([
  ["d", "0"],
  ["w", "a"],
  ["s", " "],
  ["D", "a"],
  ["W", "-"],
  ["S", "a"],
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["b", ""],
]);

function readEscape(cursor: Cursor): string | null {
  const escaped = cursor.pattern[cursor.position++];
  if (escaped === undefined) return null;
  const example = CLASS_EXAMPLES.get(escaped);
  if (example !== undefined) return example;
  // Letters and digits besides those above are back references, code points and properties.
  return /[A-Za-z0-9]/.test(escaped) ? null : escaped;
}

/** For `[a-z_]` its first character; for `[^…]` the first of a few that is not in it. */
function readClass(cursor: Cursor): string | null {
  const end = findClassEnd(cursor.pattern, cursor.position);
  if (end === -1) return null;
  const source = cursor.pattern.slice(cursor.position, end);
  cursor.position = end + 1;
  if (source.startsWith("^")) {
    // The test is of one class against one character, so no pattern can make it slow.
    const test = compile(`^[${source}]$`);
    return test === null ? null : (Array.from("a0 -_A").find((character) => test.test(character)) ?? null);
  }
  const first = source[0];
  if (first === undefined) return null;
  return first === "\\" ? readEscape({ pattern: source, position: 1, fill: 0 }) : first;
}

function findClassEnd(pattern: string, start: number): number {
  for (let index = start; index < pattern.length; index++) {
    if (pattern[index] === "\\") index++;
    else if (pattern[index] === "]") return index;
  }
  return -1;
}

function compile(source: string): RegExp | null {
  try {
    return new RegExp(source, "u");
  } catch {
    return null;
  }
}

/** Repetitions of the preceding atom; null if there are too many. */
function readCount(cursor: Cursor): number | null {
  const rest = cursor.pattern.slice(cursor.position, cursor.position + 16);
  const match = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(rest);
  if (match === null) return 1;
  cursor.position += match[0].length;
  const [, sign, least, comma, most] = match;
  const open = (count: number) => Math.max(count, cursor.fill);
  if (sign === "*") return open(0);
  if (sign === "+") return open(1);
  if (sign === "?") return 0;
  const count = Number(least);
  if (count > COUNT_MAX) return null;
  if (comma === "") return count;
  return most === "" ? open(count) : Math.min(open(count), Math.max(count, Number(most)));
}
