// JSON values of unknown shape: what they are, and how an error message names them.
import { isExactNumber } from "../../base/exact-json.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object: no array, not null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

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
