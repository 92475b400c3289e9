// Reads chunks that only add text, nearly all of them, without parsing their JSON: counts and names that every chunk
// repeats are three quarters of it.
import { COUNT, listOf, matchPattern, objectOf, readWritten, STRING, WRITTEN } from "../wire/json-pattern.ts";

const DETAILS = listOf(objectOf(`${COUNT}|${STRING}`));
/** Counts that include the prompt's; usage.ts derives the others from the parsed chunk. */
const USAGE = String.raw`(?=\{"promptTokenCount": ?[1-9]\d{0,8}[,}])${objectOf(`${COUNT}|${STRING}|${DETAILS}`)}`;

const PLAIN_CHUNK = new RegExp(
  String.raw`^\{"candidates": ?\[\{"content": ?\{"parts": ?\[\{"text": ?"(${WRITTEN})"\}\], ?"role": ?"model"\}, ?"index": ?0\}\]` +
    String.raw`, ?"usageMetadata": ?(${USAGE})(?:, ?"(?:modelVersion|responseId)": ?${STRING})*\}$`,
);

export interface PlainChunk {
  readonly text: string;
  /** The JSON of its `usageMetadata`. */
  readonly usage: string;
}

/** The chunk; null if it is of another kind and has to be parsed. */
export function readPlainChunk(data: string): PlainChunk | null {
  const match = matchPattern(PLAIN_CHUNK, data);
  return match === null ? null : { text: readWritten(match[1] ?? ""), usage: match[2] ?? "" };
}
