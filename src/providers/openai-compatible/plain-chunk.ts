// A chunk that brings nothing but more text of the answer, as nearly all do, read without parsing its JSON.
import { COUNT, matchPattern, readWritten, STRING, WRITTEN } from "../json-pattern.ts";

/** What says nothing of the answer; before or behind the choices, as the server has it. */
const ASIDE = String.raw`"(?:id|model|created|system_fingerprint|service_tier|usage)": ?(?:${STRING}|${COUNT}|null)|"object": ?"chat\.completion\.chunk"`;

const PLAIN_CHUNK = new RegExp(
  String.raw`^\{(?:(?:${ASIDE}), ?)*"choices": ?\[\{(?:"finish_reason": ?null, ?)?"index": ?0, ?` +
    String.raw`"delta": ?\{(?:"role": ?"assistant", ?)?"content": ?"(${WRITTEN})"\}` +
    String.raw`(?:, ?"(?:finish_reason|logprobs)": ?null)*\}\](?:, ?(?:${ASIDE}))*\}$`,
);

/** The text of such a chunk; null: its JSON must be parsed to know what it is. */
export function readPlainChunk(data: string): string | null {
  const match = matchPattern(PLAIN_CHUNK, data);
  return match === null ? null : readWritten(match[1] ?? "");
}
