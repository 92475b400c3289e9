// How an error message names a JSON value of unknown shape.
import { isExactNumber } from "../../base/exact-json.ts";

/** The most characters of a name or key that a message shows. */
const CHARACTERS_SHOWN = 64;

/** A name or key for a message: its first 64 characters, with "…" for the others. */
export function shorten(name: string): string {
  return name.length > CHARACTERS_SHOWN ? `${name.slice(0, CHARACTERS_SHOWN).toWellFormed()}…` : name;
}

/** Describes what stands in the place of a name: a string is shortened and quoted. */
export function describeName(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(shorten(value)) : describe(value);
}

/** Describes a value in an error message; short strings and numbers are quoted. */
export function describe(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "an array";
  if (isExactNumber(value)) return value.rawJSON.length <= CHARACTERS_SHOWN ? value.rawJSON : "a longer number";
  if (typeof value === "string") return value.length <= CHARACTERS_SHOWN ? JSON.stringify(value) : "a longer string";
  if (typeof value === "object") return "an object";
  if (typeof value === "number" && !Number.isFinite(value)) return "a number beyond all bounds";
  return JSON.stringify(value) ?? typeof value;
}
