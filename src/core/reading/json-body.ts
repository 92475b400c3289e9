// Bytes to a JSON object, or the refusal that says why not. @spec errors; docs/wire.md, objects
import { invalidInput, type Refusal } from "../../contract/errors.ts";
import { JSON_DEPTH_MAX } from "../../contract/limits.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

const QUOTE = 0x22;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Reads a request body. An `optional` body may be empty and then reads as `{}`. Unparseable bodies are refused with param null;
 * a string that no store could hold (U+0000, a lone surrogate) with the top-level field it stands in and its place.
 */
export function readJsonBody(bytes: Uint8Array, presence: "required" | "optional"): JsonObject {
  if (bytes.length === 0) {
    if (presence === "optional") return {};
    throw invalidInput(null, "The request body is empty: send a JSON object.");
  }
  const text = decode(bytes);
  if (mayNestDeeply(text) && nestsTooDeeply(text)) {
    throw invalidInput(null, `The request body is nested deeper than ${JSON_DEPTH_MAX} levels.`);
  }
  const value = parse(text);
  if (!isJsonObject(value)) throw invalidInput(null, `The request body must be a JSON object, not ${describe(value)}.`);
  // Only an escape can bring in U+0000 or half a surrogate pair: JSON forbids the raw one, UTF-8 the other.
  if (text.includes("\\u")) refuseUnstorable(value);
  return value;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a value is, in a refusal's words; short strings and numbers are quoted. */
export function describe(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "string") return value.length <= 64 ? JSON.stringify(value) : "a longer string";
  if (typeof value === "object") return "an object";
  if (typeof value === "number" && !Number.isFinite(value)) return "a number beyond all bounds";
  return JSON.stringify(value) ?? typeof value;
}

function decode(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw invalidInput(null, "The request body is not valid UTF-8.");
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The engine's message quotes the body; only its position is passed on.
    const position = /position (\d+)/.exec(error instanceof Error ? error.message : "")?.[1];
    throw invalidInput(
      null,
      `The request body is not valid JSON${position === undefined ? "" : ` (at position ${position})`}.`,
    );
  }
}

/** Whether a text opens more brackets than the allowed depth: one that does not can't be too deep, and most don't. */
function mayNestDeeply(text: string): boolean {
  let opened = 0;
  for (const bracket of "{[") {
    // Found by searching, which is many times as fast as to look at each character.
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      if (++opened > JSON_DEPTH_MAX) return true;
    }
  }
  return false;
}

/** Looked for in the text: a walk through the value takes many times as long, and a parser through a text that nests for nothing. */
function nestsTooDeeply(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case OPENING_BRACE:
      case OPENING_BRACKET:
        if (++depth > JSON_DEPTH_MAX) return true;
        break;
      case CLOSING_BRACE:
      case CLOSING_BRACKET:
        depth--;
        break;
      case QUOTE:
        at = endOfString(text, at);
        break;
      default:
    }
  }
  return false;
}

/** Where the closing quote stands of the string that opens at `start`; the end of the text when there is none. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let first = at;
    while (text.charCodeAt(first - 1) === BACKSLASH) first--;
    // An odd number of backslashes before it: it is escaped.
    if ((at - first) % 2 === 0) return at;
  }
  return text.length;
}

function refuseUnstorable(body: JsonObject): void {
  for (const [field, value] of Object.entries(body)) {
    const fault = faultOf(field) ?? faultIn(value, field);
    if (fault !== null)
      throw fault.place === undefined ? unstorable(field, field, fault) : unstorable(field, fault.place, fault);
  }
}

interface Fault {
  readonly what: string;
  readonly place?: string;
}

function unstorable(field: string, place: string, fault: Fault): Refusal {
  const readable = (text: string) => text.replaceAll("\u0000", "\\u0000").toWellFormed();
  return invalidInput(
    readable(field),
    `${readable(place)} contains ${fault.what}, which no string of a request may contain.`,
  );
}

function faultOf(text: string): Fault | null {
  if (text.includes("\u0000")) return { what: "the character U+0000" };
  if (!text.isWellFormed()) return { what: "half a surrogate pair" };
  return null;
}

function faultIn(value: unknown, place: string): Fault | null {
  if (typeof value === "string") {
    const fault = faultOf(value);
    return fault === null ? null : { ...fault, place };
  }
  if (Array.isArray(value)) {
    for (const [index, child] of value.entries()) {
      const fault = faultIn(child, `${place}[${index}]`);
      if (fault !== null) return fault;
    }
    return null;
  }
  if (typeof value === "object" && value !== null) {
    for (const [key, child] of Object.entries(value)) {
      const keyFault = faultOf(key);
      if (keyFault !== null) return { ...keyFault, place: `A key of ${place}` };
      const fault = faultIn(child, `${place}.${key}`);
      if (fault !== null) return fault;
    }
  }
  return null;
}
