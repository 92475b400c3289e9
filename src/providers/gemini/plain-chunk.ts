// A chunk that brings nothing but more text of the answer, as nearly all do, read without parsing its JSON: the counts and names that
// every chunk repeats are three quarters of it.
import { COUNT, listOf, matchPattern, objectOf, readWritten, STRING, WRITTEN } from "../json-pattern.ts";

const DETAILS = listOf(objectOf(`${COUNT}|${STRING}`));
/** Counts with the prompt's among them; others are worked out from the whole (usage.ts). */
const USAGE = String.raw`(?=\{"promptTokenCount": ?\d{1,9}[,}])${objectOf(`${COUNT}|${STRING}|${DETAILS}`)}`;

const PLAIN_CHUNK = new RegExp(
  String.raw`^\{"candidates": ?\[\{"content": ?\{"parts": ?\[\{"text": ?"(${WRITTEN})"\}\], ?"role": ?"model"\}, ?"index": ?0\}\]` +
    String.raw`, ?"usageMetadata": ?(${USAGE})(?:, ?"(?:modelVersion|responseId)": ?${STRING})*\}$`,
);

export interface PlainChunk {
  readonly text: string;
  /** The JSON of its `usageMetadata`. */
  readonly usage: string;
}

/** The chunk, when it is such a one; null: its JSON must be parsed to know what it is. */
export function readPlainChunk(data: string): PlainChunk | null {
  const match = matchPattern(PLAIN_CHUNK, data);
  return match === null ? null : { text: readWritten(match[1] ?? ""), usage: match[2] ?? "" };
}
