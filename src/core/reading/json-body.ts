// Parses a request body into a JSON object. @spec errors; docs/wire.md (Objects);
// docs/decisions/bodies.md. Where a small body is not valid JSON, or holds U+0000, is found by scan/body-scanner.ts.
import { invalidInput } from "../../contract/errors.ts";
import { JSON_DEPTH_MAX } from "../../contract/limits.ts";
import { mayHoldUnusualNumbers } from "../../base/exact-json.ts";
import { BodyScanner } from "./scan/body-scanner.ts";
import { canonicalJson } from "../idempotency/canonical-json.ts";
import { endOfString, isJsonObject, type JsonObject, parseJson } from "../../base/json.ts";
import { describe } from "./json-value.ts";
import * as json from "./scan/json-lexer.ts";
import { type Selection, WHOLE } from "./scan/selection.ts";

/** A parsed body. */
export interface JsonBody {
  /** Its members. A small body keeps unknown ones too. */
  readonly fields: JsonObject;
  /** Bytes of it that became values. */
  readonly bytesRead: number;
  /** The same text for all spellings of the body; null when only its bytes identify it. */
  canonicalText(): string | null;
}

/** Larger bodies are scanned in steps; smaller ones are parsed at once, within a millisecond. */
export const SMALL_BODY_BYTES = 64 * 1024;

const NOT_BLANK = /\S/;
const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** The value of an empty optional body. */
const EMPTY_BODY: JsonBody = { fields: {}, bytesRead: 0, canonicalText: () => "{}" };

/**
 * Parses a small body at once. Null when it has to be scanned, because it is long, not JSON, or contains something that
 * needs a closer look. Throws 400 `invalid_input` with param null when it is empty, not UTF-8 or not an object.
 */
export function readSmallBody(bytes: Uint8Array, presence: "required" | "optional"): JsonBody | null {
  if (bytes.length > SMALL_BODY_BYTES) return null;
  const text = decode(bytes);
  if (!NOT_BLANK.test(text)) return readBlank(presence);
  if (mayNestDeeply(text) && nestsTooDeeply(text)) return null;
  const hasNumbersToKeep = MAY_HOLD_SCHEMA.test(text) && mayHoldUnusualNumbers(text);
  if (hasNumbersToKeep) return null;
  const value = parseJson(text);
  if (value === undefined) return null;
  const fields = checkObject(value);
  // Only an escape can produce U+0000 or half a surrogate pair: JSON forbids the raw one, UTF-8 the other.
  if (text.includes("\\u") && holdsUnstorable(fields)) return null;
  return {
    fields,
    bytesRead: bytes.length,
    canonicalText: () => (holdsUnusualNumbers(text) ? null : canonicalJson(fields)),
  };
}

/** JSON strings. */
const TEXTS = /"(?:[^"\\]|\\.)*"/g;

/** Whether canonical JSON would lose digits. Digits inside strings, such as ids, are not lost. */
function holdsUnusualNumbers(text: string): boolean {
  return mayHoldUnusualNumbers(text) && mayHoldUnusualNumbers(text.replaceAll(TEXTS, '""'));
}

/** The body of a completed scan. Throws 400 `invalid_input` with param null if it is not an object. */
export function readScannedBody(scan: BodyScanner, presence: "required" | "optional"): JsonBody {
  if (scan.isBlank) return readBlank(presence);
  return { fields: checkObject(scan.value), bytesRead: scan.bytesRead, canonicalText: () => null };
}

/** Reads a body synchronously; for short ones. flows/read-body reads long ones in steps. */
export function readJsonBody(
  bytes: Uint8Array,
  presence: "required" | "optional",
  selection: Selection = WHOLE,
): JsonObject {
  const read = readSmallBody(bytes, presence);
  if (read !== null) return read.fields;
  const scan = new BodyScanner(bytes, selection);
  scan.step(bytes.length);
  return readScannedBody(scan, presence).fields;
}

function readBlank(presence: "required" | "optional"): JsonBody {
  if (presence === "optional") return EMPTY_BODY;
  throw invalidInput(null, "The request body is empty: send a JSON object.");
}

/** Finds members that hold a JSON schema, whose numbers keep their digits; an escape may hide the name. */
const MAY_HOLD_SCHEMA = /"(?:parameters|schema)"|\\u/;

function checkObject(value: unknown): JsonObject {
  if (!isJsonObject(value)) throw invalidInput(null, `The request body must be a JSON object, not ${describe(value)}.`);
  return value;
}

function decode(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw invalidInput(null, "The request body is not valid UTF-8.");
  }
}

/** Whether a text has more opening brackets than the allowed depth; most have fewer and cannot be too deep. */
function mayNestDeeply(text: string): boolean {
  let opened = 0;
  for (const bracket of "{[") {
    // indexOf is many times faster than looking at each character.
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      if (++opened > JSON_DEPTH_MAX) return true;
    }
  }
  return false;
}

/** Checks the text, which is many times faster than walking the parsed value. */
function nestsTooDeeply(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case json.OPENING_BRACE:
      case json.OPENING_BRACKET:
        if (++depth > JSON_DEPTH_MAX) return true;
        break;
      case json.CLOSING_BRACE:
      case json.CLOSING_BRACKET:
        depth--;
        break;
      case json.QUOTE:
        at = endOfString(text, at) - 1;
        break;
      default:
    }
  }
  return false;
}

/** Whether any string contains U+0000 or half a surrogate pair. The scanner then reports the place. */
function holdsUnstorable(value: unknown): boolean {
  if (typeof value === "string") return value.includes("\u0000") || !value.isWellFormed();
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsUnstorable);
  return Object.entries(value).some(([key, child]) => holdsUnstorable(key) || holdsUnstorable(child));
}
