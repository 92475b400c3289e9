// Arguments of a call: a string in the service, an object on some wires.
import { isExactNumber, parseExactly } from "../../base/exact-json.ts";
import { rawArguments } from "./calls.ts";
import { excessOf } from "./reply-json.ts";
import { isJsonObject, type JsonObject, parseJson } from "../../base/json.ts";

/** Arguments as an object: empty if there are none; a string that is not a JSON object is wrapped under one key. */
export function encodeArguments(text: string): JsonObject {
  if (text.trim() === "") return {};
  // Deeper ones cannot be written as JSON.
  const value = excessOf(text) === null ? parseArguments(text) : undefined;
  return isJsonObject(value) && !isExactNumber(value) ? value : rawArguments(text);
}

function parseArguments(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}

/** Numbers that a double may not represent, typically 64-bit ids. */
const LONG_NUMBER = /\d{16}|\d[eE][+-]?\d{3}/;

/** Parses the JSON of a response, and keeps the digits of numbers that a double cannot represent; undefined for invalid JSON. */
export function parseWithDigits(text: string): unknown {
  return LONG_NUMBER.test(text) ? parseArguments(text) : parseJson(text);
}
