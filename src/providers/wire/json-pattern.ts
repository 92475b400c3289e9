// Regular expressions for JSON. A family builds the pattern of its most frequent event from them: nearly every event is a text delta in
// a frame that never changes, and matching the frame takes a fifth of the time of parsing it. A match is valid JSON; anything else is parsed.

const CHARACTERS = String.raw`[^"\\\x00-\x1f]*`;
const ESCAPE = String.raw`\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})`;

/** A string without escapes. */
export const STRING = `"${CHARACTERS}"`;

/** A non-negative integer. */
export const COUNT = String.raw`(?:0|[1-9]\d*)`;

/** The content between the quotes of any string. */
export const WRITTEN = `${CHARACTERS}(?:${ESCAPE}${CHARACTERS})*`;

/** The value of a string from the content between its quotes. */
export function readWritten(written: string): string {
  return written.includes("\\") ? (JSON.parse(`"${written}"`) as string) : written;
}

/** An object whose values match a pattern. */
export function objectOf(value: string): string {
  return String.raw`\{(?:"\w+": ?(?:${value})(?:, ?(?=")|(?=\})))*\}`;
}

/** A list whose entries match the pattern of an object. */
export function listOf(object: string): string {
  return String.raw`\[(?:${object}(?:, ?(?=\{)|(?=\])))*\]`;
}

/** Longest text matched, characters: matching keeps a backtracking position for each escape, in limited space. */
const MATCHED_CHARACTERS_MAX = 64 * 1024;

/** Matches an event's data; null if the pattern does not match or the data is long. */
export function matchPattern(pattern: RegExp, data: string): RegExpExecArray | null {
  return data.length > MATCHED_CHARACTERS_MAX ? null : pattern.exec(data);
}
