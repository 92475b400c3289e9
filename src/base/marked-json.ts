// JSON whose unusual numbers are marked: strings of U+0000 and a place in a list of values. JSON.parse reads them as
// fast as any other string.
import { endOfString } from "./json.ts";

const QUOTE = 0x22;
const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const LETTER_E = 0x65;
/** Shortest integer that a double may not hold, characters. */
const LONG_CHARACTERS = 16;

const MARK = "\0";
const WRITTEN_MARK = "\\u0000";
const BLANK = /[ \t\n\r]/;

export interface MarkedJson {
  /** The text with marks instead of the marked values. */
  readonly marked: string;
  readonly values: readonly unknown[];
}

/**
 * Marks the numbers that `readNumber` reads as anything but a number. It throws for a number that is not valid JSON.
 * Strings that look like a mark are marked too, so that every mark in the result is one of these.
 */
export function markNumbers(text: string, readNumber: (written: string) => unknown): MarkedJson {
  const pieces: string[] = [];
  const values: unknown[] = [];
  const places = new Map<string, number>();
  const holdsMarks = text.includes(WRITTEN_MARK);
  let copied = 0;
  let at = 0;

  function mark(start: number, end: number, read: (written: string) => unknown): void {
    const written = text.slice(start, end);
    let place = places.get(written);
    if (place === undefined) {
      const value = read(written);
      if (typeof value === "number") return;
      place = values.push(value) - 1;
      places.set(written, place);
    }
    pieces.push(text.slice(copied, start), `"${WRITTEN_MARK}${place}"`);
    copied = end;
  }

  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      const end = endOfString(text, at);
      if (holdsMarks && text.slice(at, end).includes(WRITTEN_MARK) && !isKey(text, end)) mark(at, end, JSON.parse);
      at = end;
    } else if (unit === MINUS || isDigit(unit)) {
      const end = endOfNumber(text, at);
      if (mayBeUnusual(text, at, end)) mark(at, end, readNumber);
      at = end;
    } else at++;
  }
  pieces.push(text.slice(copied));
  return { marked: pieces.join(""), values };
}

/** The value with every mark replaced by the value that it stands for. Needs no stack, however deep the value is. */
export function replaceMarks(value: unknown, values: readonly unknown[]): unknown {
  const root: unknown[] = [value];
  const open: object[] = [root];
  for (let holder = open.pop(); holder !== undefined; holder = open.pop()) {
    const children = holder as Record<string, unknown>;
    for (const key in children) {
      const child = children[key];
      if (typeof child === "object" && child !== null) open.push(child);
      else if (typeof child === "string" && child.startsWith(MARK)) {
        const original = values[Number(child.slice(MARK.length))];
        // Plain assignment would set the object's prototype.
        if (key === "__proto__") Object.defineProperty(children, key, { value: original });
        else children[key] = original;
      }
    }
  }
  return root[0];
}

function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= NINE;
}

function isKey(text: string, end: number): boolean {
  let at = end;
  while (BLANK.test(text.charAt(at))) at++;
  return text.charCodeAt(at) === COLON;
}

function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  for (let unit = text.charCodeAt(at); isOfNumber(unit); unit = text.charCodeAt(at)) at++;
  return at;
}

function isOfNumber(unit: number): boolean {
  return isDigit(unit) || unit === POINT || unit === MINUS || unit === PLUS || (unit | 0x20) === LETTER_E;
}

/** Whether a number may be written differently: not a short integer, or -0. */
function mayBeUnusual(text: string, start: number, end: number): boolean {
  if (end - start >= LONG_CHARACTERS || text.charCodeAt(start) === MINUS) return true;
  for (let at = start; at < end; at++) if (!isDigit(text.charCodeAt(at))) return true;
  return false;
}
