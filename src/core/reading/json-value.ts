// How an error message names a JSON value of unknown shape.
import { isExactNumber } from "../../base/exact-json.ts";

/** Describes a value in an error message; short strings and numbers are quoted. */
export function describe(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "an array";
  if (isExactNumber(value)) return value.rawJSON.length <= 64 ? value.rawJSON : "a longer number";
  if (typeof value === "string") return value.length <= 64 ? JSON.stringify(value) : "a longer string";
  if (typeof value === "object") return "an object";
  if (typeof value === "number" && !Number.isFinite(value)) return "a number beyond all bounds";
  return JSON.stringify(value) ?? typeof value;
}
