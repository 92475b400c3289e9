// Patterns of JSON, from which a family builds the pattern of its commonest event: nearly all that a model sends is one more piece of
// text in a frame that never changes, and to match that frame costs a fifth of what parsing it does. What such a pattern matches is
// JSON for certain; all else is parsed.

const CHARACTERS = String.raw`[^"\\\x00-\x1f]*`;
const ESCAPE = String.raw`\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})`;

/** A string without escapes. */
export const STRING = `"${CHARACTERS}"`;

/** A whole number that is not negative. */
export const COUNT = String.raw`(?:0|[1-9]\d*)`;

/** What stands between the quotes of any string. */
export const WRITTEN = `${CHARACTERS}(?:${ESCAPE}${CHARACTERS})*`;

/** The text of what stands between the quotes. */
export function readWritten(written: string): string {
  return written.includes("\\") ? (JSON.parse(`"${written}"`) as string) : written;
}

/** An object whose values are of that pattern. */
export function objectOf(value: string): string {
  return String.raw`\{(?:"\w+": ?(?:${value})(?:, ?(?=")|(?=\})))*\}`;
}

/** A list whose entries are objects of that pattern. */
export function listOf(object: string): string {
  return String.raw`\[(?:${object}(?:, ?(?=\{)|(?=\])))*\]`;
}

/** Longest text that is matched, characters: a match keeps a place to go back to for each escape, and has room for so many only. */
const MATCHED_CHARACTERS_MAX = 64 * 1024;

/** The groups of a pattern where it matches the whole of an event's data; null where it does not, or the data is long. */
export function matchPattern(pattern: RegExp, data: string): RegExpExecArray | null {
  return data.length > MATCHED_CHARACTERS_MAX ? null : pattern.exec(data);
}
