// Reading unchecked JSON: each function returns a value of the expected shape, or null.

/** A JSON object with unchecked values. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object (not an array, not null). */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The alternative with index 0, or without an index; null if there is none. Others are never requested. */
export function findAlternative(list: unknown): JsonRecord | null {
  if (!Array.isArray(list)) return null;
  return list.filter(isRecord).find(({ index }) => typeof index !== "number" || index === 0) ?? null;
}

/** A non-empty string, else null. */
export function readText(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** Larger counts are wrong: no model has a window of a billion tokens, and the ledger must not charge for them. */
const COUNT_MAX = 1_000_000_000;

/** A plausible count of tokens, else null. */
export function readCount(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= COUNT_MAX ? value : null;
}

/** Parses JSON; undefined if it is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
