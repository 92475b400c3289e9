// Reads a request body as a JSON object: its bytes are counted first, then parsed at once. @spec errors; docs/wire.md (Objects);
// docs/decisions/bodies.md
import { mayHoldUnusualNumbers, toDouble } from "../../base/exact-json.ts";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { replaceMarks } from "../../base/marked-json.ts";
import { ApiError, invalidInput } from "../../contract/errors.ts";
import { JSON_DEPTH_MAX, JSON_VALUES_MAX } from "../../contract/limits.ts";
import { canonicalJson } from "../idempotency/canonical-json.ts";
import { ANY_VALUE, findBodyFault } from "./body-faults.ts";
import { JsonPass, type UnusualNumber } from "./json-pass.ts";
import { describe } from "./json-value.ts";

/** A parsed body. */
export interface JsonBody {
  /** Its members, unknown ones too. */
  readonly fields: JsonObject;
  /** Bytes of it without the texts of members that are not read: at least what is kept of it. */
  readonly bytesRead: number;
  /** The same text for all spellings of the body; null when only its bytes identify it. */
  canonicalText(): string | null;
}

/** Whether a body is required; without one, an optional body is an empty object. */
type Presence = "required" | "optional";

/** Larger bodies are read in steps. Smaller ones take a millisecond, and cannot hold too many values. */
export const SMALL_BODY_BYTES = 64 * 1024;
/** Bytes counted or decoded in one step: some ten milliseconds for the slowest input. */
const STEP_BYTES = 2 * 1024 * 1024;
/** What a piece of the text costs beside its bytes. */
const BYTES_PER_PIECE = 256;

/** The UTF-8 byte order mark, which some programs send first. Within a string it is an ordinary character. */
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const NOT_BLANK = /\S/;

/**
 * Reads a body in steps, between which other requests can be served; of a small one there is one. `shape` says which
 * members are read. Throws 413 `invalid_input` for too many values, and 400 `invalid_input`: with param null when the
 * body is empty, not UTF-8, not JSON or not an object; with the top-level field for U+0000 anywhere and, in the members
 * that are read, for half a surrogate pair, too much depth and endless numbers.
 */
export function* readInSteps(
  body: Uint8Array,
  presence: Presence,
  shape: object = ANY_VALUE,
): Generator<undefined, JsonBody> {
  const bytes = body[0] === BYTE_ORDER_MARK[0] && beginsWithMark(body) ? body.subarray(3) : body;
  const isLong = body.length > SMALL_BODY_BYTES;
  const sent = isLong ? null : decode(bytes);
  if (sent !== null && !needsPass(sent)) {
    const fields = parseObject(sent, presence, sent);
    return { fields, bytesRead: body.length, canonicalText: () => canonicalTextOf(sent, fields) };
  }
  const pass = new JsonPass(bytes);
  for (let isDone = false; !isDone; ) {
    isDone = pass.step(STEP_BYTES);
    if (pass.values > JSON_VALUES_MAX) throw tooManyValuesError();
    if (isLong) yield;
  }
  // Strings that begin with U+0000 would look like marks; they are an error below.
  const numbers = pass.hasNul ? [] : pass.unusualNumbers;
  const text = yield* decodeInSteps(bytes, numbers);
  if (isLong) yield;
  const fields = parseObject(text, presence, sent ?? (numbers.length > 0 ? null : text));
  if (isLong) yield;
  if (numbers.length > 0) placeNumbers(fields, numbers);
  const isDeep = pass.depthMax > JSON_DEPTH_MAX;
  if (pass.hasNul || pass.hasLoneSurrogate || isDeep || numbers.length > 0) {
    const fault = findBodyFault(fields, shape, pass.hasNul) ?? (pass.hasNul ? hiddenNulError() : null);
    if (fault !== null) throw fault;
  }
  if (isLong) yield;
  const bytesRead = body.length - (isLong ? unreadLength(fields, shape) : 0);
  return { fields, bytesRead, canonicalText: () => (sent === null || isDeep ? null : canonicalTextOf(sent, fields)) };
}

function beginsWithMark(bytes: Uint8Array): boolean {
  return BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte);
}

/** Whether JSON.parse alone would accept or lose something: digits in a JSON schema, great depth, an escaped character. */
function needsPass(text: string): boolean {
  if (mayNestDeeply(text)) return true;
  return mayNeedDigits(text) && (text.includes("\\u") || mayHoldUnusualNumbers(text));
}

/** Whether members may hold a JSON schema, whose numbers keep their digits; an escape may hide the name. */
function mayNeedDigits(text: string): boolean {
  return text.includes('"parameters"') || text.includes('"schema"') || text.includes("\\u");
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

/** JSON strings. */
const STRINGS = /"(?:[^"\\]|\\.)*"/g;
/** Half a surrogate pair as JSON.stringify escapes it. */
const HALF_PAIR = /(?<!\\)(?:\\\\)*\\ud/;

/**
 * Canonical JSON; null if it would lose digits or hold half a surrogate pair. Claims in the store were made by these rules,
 * also by those that are stricter than necessary: a change would make retries a 409.
 */
function canonicalTextOf(text: string, fields: JsonObject): string | null {
  const mayLoseDigits =
    mayHoldUnusualNumbers(text) && (mayNeedDigits(text) || mayHoldUnusualNumbers(text.replaceAll(STRINGS, '""')));
  if (mayLoseDigits) return null;
  const canonical = canonicalJson(fields);
  return HALF_PAIR.test(canonical) ? null : canonical;
}

/** The length of all texts in the members that the shape does not name. */
function unreadLength(body: JsonObject, { properties }: { readonly properties?: object }): number {
  if (properties === undefined) return 0;
  let length = 0;
  const open = Object.keys(body).flatMap((name) => (Object.hasOwn(properties, name) ? [] : [body[name]]));
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === "string") length += value.length;
    else if (typeof value === "object" && value !== null) for (const child of Object.values(value)) open.push(child);
  }
  return length;
}

/**
 * Parses a text; a blank one is an empty object where the body is optional. Throws 400 `invalid_input` if it is not a JSON
 * object. The place of a syntax error is looked for in `sent`, which is null if that would take long.
 */
function parseObject(text: string, presence: Presence, sent: string | null): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (NOT_BLANK.test(text)) throw syntaxError(sent, sent === text ? (error as SyntaxError).message : null);
    if (presence === "optional") return {};
    throw invalidInput(null, "The request body is empty: send a JSON object.");
  }
  if (!isJsonObject(value)) throw invalidInput(null, `The request body must be a JSON object, not ${describe(value)}.`);
  return value;
}

/** Reads a body at once, for short ones; see {@link readInSteps}. */
export function readJsonBody(bytes: Uint8Array, presence: Presence, shape: object = ANY_VALUE): JsonObject {
  const steps = readInSteps(bytes, presence, shape);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value.fields;
}

/** The text, with a mark in place of each of the numbers. */
function* decodeInSteps(bytes: Uint8Array, numbers: readonly UnusualNumber[]): Generator<undefined, string> {
  const pieces: string[] = [];
  let at = 0;
  let work = 0;
  for (let place = 0; place <= numbers.length; place++) {
    const stop = numbers[place]?.start ?? bytes.length;
    while (at < stop) {
      let end = Math.min(stop, at + STEP_BYTES);
      // A character of several bytes is not cut.
      for (let back = 0; back < 3 && end < stop && ((bytes[end] as number) & 0xc0) === 0x80; back++) end--;
      pieces.push(decode(bytes.subarray(at, end)));
      work += end - at + BYTES_PER_PIECE;
      at = end;
      if (work < STEP_BYTES) continue;
      work = 0;
      yield;
    }
    if (place < numbers.length) pieces.push(`"\\u0000${place}"`);
    at = numbers[place]?.end ?? at;
  }
  return pieces.join("");
}

function decode(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw invalidInput(null, "The request body is not valid UTF-8.");
  }
}

/** Puts the numbers in place of their marks: with their digits in JSON schemas, elsewhere as doubles. */
function placeNumbers(body: JsonObject, numbers: readonly UnusualNumber[]): void {
  const exact = numbers.map(({ value }) => value);
  const { tools, text } = body;
  for (const tool of Array.isArray(tools) ? tools : []) if (isJsonObject(tool)) replaceMarks(tool["parameters"], exact);
  if (isJsonObject(text) && isJsonObject(text["format"])) replaceMarks(text["format"]["schema"], exact);
  replaceMarks(body, exact.map(toDouble));
}

/** U+0000 that is not in the parsed body. */
function hiddenNulError(): ApiError {
  const place = "A member that a later one of the same name replaces";
  return invalidInput(null, `${place} contains the character U+0000, which no string of a request may contain.`);
}

function tooManyValuesError(): ApiError {
  return new ApiError(
    "invalid_input",
    `The request body has more than ${JSON_VALUES_MAX} values (strings, numbers, literals, arrays, objects).`,
    { status: 413 },
  );
}

/** Says where a text stops being JSON: at a character, as an editor counts. It quotes nothing. */
function syntaxError(text: string | null, message: string | null): ApiError {
  const position = text === null ? null : positionOf(message ?? syntaxMessage(text), text);
  const place = position === null ? "" : ` (at position ${position})`;
  return invalidInput(null, `The request body is not valid JSON${place}.`);
}

/** The position in a message of JSON.parse; null: it has none, and the text is too long to look for it. */
function positionOf(message: string, text: string): number | null {
  const written = /at position (\d+)/.exec(message)?.[1];
  if (written !== undefined) return Number(written);
  if (!message.startsWith(WRONG_TOKEN)) return text.length;
  if (text.length > SMALL_BODY_BYTES) return null;
  // The shortest beginning with the wrong token ends after it.
  let [right, wrong] = [0, text.length];
  while (wrong - right > 1) {
    const middle = Math.floor((right + wrong) / 2);
    if (syntaxMessage(text.slice(0, middle)).startsWith(WRONG_TOKEN)) wrong = middle;
    else right = middle;
  }
  return right;
}

/** How JSON.parse begins a message without a position. */
const WRONG_TOKEN = "Unexpected token";

function syntaxMessage(text: string): string {
  try {
    JSON.parse(text);
    return "";
  } catch (error) {
    return (error as SyntaxError).message;
  }
}
