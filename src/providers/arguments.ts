// A call's arguments are a text for the service and an object on some wires.
import { rawArguments } from "./calls.ts";
import { isRecord, type JsonRecord } from "./json-shape.ts";

/** The input of a call: its arguments, an empty object for none, and anything that is no JSON object whole under one key. */
export function encodeArguments(text: string): JsonRecord {
  if (text.trim() === "") return {};
  const value = parseExactly(text);
  return isRecord(value) && isRawJSON?.(value) !== true ? value : rawArguments(text);
}

// Node has it, the type library does not name it yet.
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON?: (text: string) => unknown;
  isRawJSON?: (value: unknown) => boolean;
};

/** Digits that a double may not hold; ids of 64 bits are the usual case. */
const LONG_NUMBER = /\d{16}|\d[eE][+-]?\d{3}/;

/** Whether a JSON text may hold numbers that JavaScript can't. */
export function mayHoldLongNumbers(text: string): boolean {
  return LONG_NUMBER.test(text);
}

/** JSON in which a number that JavaScript can't hold stays as it was written; undefined for what is no JSON. */
export function parseExactly(text: string): unknown {
  try {
    if (rawJSON === undefined || !mayHoldLongNumbers(text)) return JSON.parse(text);
    return JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) => {
      const source = context?.source;
      return typeof value === "number" && source !== undefined && String(value) !== source ? rawJSON(source) : value;
    });
  } catch {
    return undefined;
  }
}
