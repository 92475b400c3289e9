// Arguments of a call: a string in the service, an object on some wires. Servers mix them up.
import { isExactNumber, parseExactly } from "../../base/exact-json.ts";
import { rawArguments } from "./calls.ts";
import { excessOf } from "./reply-json.ts";
import { isJsonObject, type JsonObject, parseJson } from "../../base/json.ts";

/** The text of arguments as a server sent them: a string as it is, any other value as JSON; empty without any. */
export function argumentsText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Whether arguments were sent as an object. */
export function isArgumentsObject(value: unknown): value is JsonObject {
  return isJsonObject(value) && !isExactNumber(value);
}

/** Arguments as an object: empty if there are none; a string that is not a JSON object is wrapped under one key. */
export function encodeArguments(text: string): JsonObject {
  if (text.trim() === "") return {};
  // Deeper ones cannot be written as JSON.
  const value = excessOf(text) === null ? parseArguments(text) : undefined;
  return isArgumentsObject(value) ? value : rawArguments(text);
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
