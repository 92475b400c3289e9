// Reading JSON that nobody has checked: each function answers what it found in the expected shape, or null.

/** A JSON object whose keys nobody has checked. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object (not an array, not null). */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Of the alternatives that an answer holds, the first by its `index`, or one without; null when there is none. Others were not asked for. */
export function findAlternative(list: unknown): JsonRecord | null {
  if (!Array.isArray(list)) return null;
  return list.filter(isRecord).find(({ index }) => typeof index !== "number" || index === 0) ?? null;
}

/** A text that is not empty, else null. */
export function readText(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** Counts above this are nonsense: no model has a window of a billion tokens, and the ledger must not price them. */
const COUNT_MAX = 1_000_000_000;

/** A plausible count of tokens, else null. */
export function readCount(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= COUNT_MAX ? value : null;
}

/** The value of a JSON text; undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
