// JSON whose numbers keep their digits: a double can hold neither 9223372036854775807 nor the point of 1.0.
import { markNumbers, replaceMarks } from "./marked-json.ts";

// Available in Node, missing in the type library.
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): ExactNumber;
  isRawJSON(value: unknown): boolean;
};

/** A number that JavaScript would write differently; `JSON.stringify` writes its original text. */
export interface ExactNumber {
  readonly rawJSON: string;
}

/** Whether a parsed value is an {@link ExactNumber}. */
export function isExactNumber(value: unknown): value is ExactNumber {
  return typeof value === "object" && isRawJSON(value);
}

/** Converts an {@link ExactNumber} to the nearest double; returns any other value unchanged. */
export function toDouble(value: unknown): unknown {
  return isExactNumber(value) ? Number(value.rawJSON) : value;
}

/**
 * Sixteen digits, an exponent, a fraction that ends in 0, -0, or a number so small that JavaScript writes an exponent.
 */
const UNUSUAL_NUMBER = /[\d.]{16}|\d[eE][-+]?\d|\.\d*0(?!\d)|-0(?![.\d])|0\.0{6}/;

/**
 * Whether a JSON text may contain numbers that JavaScript writes differently. Digits inside strings can cause a false
 * positive.
 */
export function mayHoldUnusualNumbers(text: string): boolean {
  return UNUSUAL_NUMBER.test(text);
}

/**
 * Parses JSON, with unusual numbers as {@link ExactNumber}. Throws a SyntaxError.
 *
 * A reviver is called for every value and takes sixty times as long as the parser, a second for two megabytes. So the
 * unusual numbers are parsed as marked strings, which are then replaced.
 */
export function parseExactly(text: string): unknown {
  if (!mayHoldUnusualNumbers(text)) return JSON.parse(text);
  const { marked, values } = markNumbers(text, readNumberExactly);
  return replaceMarks(JSON.parse(marked), values);
}

/** Longest number that JavaScript writes, characters: `-2.2250738585072014e-308`. */
const WRITTEN_CHARACTERS_MAX = 24;

/** Parses a JSON number; an unusual one becomes an {@link ExactNumber}. */
export function readNumberExactly(text: string): unknown {
  // To convert a million digits takes milliseconds: they are read once.
  if (text.length > WRITTEN_CHARACTERS_MAX) return rawJSON(text);
  const value = JSON.parse(text) as number;
  return String(value) === text ? value : rawJSON(text);
}
