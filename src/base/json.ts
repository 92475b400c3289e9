// JSON of unknown shape.

/** A JSON object with unchecked values. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object: no array, not null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses JSON; undefined if it is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
