// A chunk that brings nothing but more text of the answer, as nearly all do, read without parsing its JSON: the counts and names that
// every chunk repeats are three quarters of it.

const STRING = String.raw`"[^"\\\x00-\x1f]*"`;
const COUNT = String.raw`(?:0|[1-9]\d*)`;
/** An escape of JSON. */
const ESCAPE = String.raw`\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})`;
const TEXT = String.raw`[^"\\\x00-\x1f]*(?:${ESCAPE}[^"\\\x00-\x1f]*)*`;

/** An object whose members have such values. */
function membersOf(value: string): string {
  return String.raw`\{(?:"\w+": ?(?:${value})(?:, ?(?=")|(?=\})))*\}`;
}

const DETAILS = String.raw`\[(?:${membersOf(`${COUNT}|${STRING}`)}(?:, ?(?=\{)|(?=\])))*\]`;
/** Counts that say something: without the prompt's they are not taken (usage.ts). */
const USAGE = String.raw`(?=\{"promptTokenCount": ?\d{1,9}[,}])${membersOf(`${COUNT}|${STRING}|${DETAILS}`)}`;

/** What it matches is JSON, each of its members in the one place where this wire has it. */
const PLAIN_CHUNK = new RegExp(
  String.raw`^\{"candidates": ?\[\{"content": ?\{"parts": ?\[\{"text": ?"(${TEXT})"\}\], ?"role": ?"model"\}, ?"index": ?0\}\], ?` +
    String.raw`"usageMetadata": ?(${USAGE})(?:, ?"(?:modelVersion|responseId)": ?${STRING})*\}$`,
);

export interface PlainChunk {
  readonly text: string;
  /** The JSON of its `usageMetadata`. */
  readonly usage: string;
}

/** The chunk, when it is such a one; null: its JSON must be parsed to know what it is. */
export function readPlainChunk(data: string): PlainChunk | null {
  const match = PLAIN_CHUNK.exec(data);
  if (match === null) return null;
  const [, written = "", usage = ""] = match;
  return { text: written.includes("\\") ? (JSON.parse(`"${written}"`) as string) : written, usage };
}
