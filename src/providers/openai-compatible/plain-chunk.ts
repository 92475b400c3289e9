// Reads a chunk with a text delta only, as nearly all are, without parsing its JSON.
import { COUNT, matchPattern, readWritten, STRING, WRITTEN } from "../wire/json-pattern.ts";

/** Ignored fields; some servers send them before the choices, some after. */
const IGNORED = String.raw`"(?:id|model|created|system_fingerprint|service_tier|usage)": ?(?:${STRING}|${COUNT}|null)|"object": ?"chat\.completion\.chunk"`;

const PLAIN_CHUNK = new RegExp(
  String.raw`^\{(?:(?:${IGNORED}), ?)*"choices": ?\[\{(?:"finish_reason": ?null, ?)?"index": ?0, ?` +
    String.raw`"delta": ?\{(?:"role": ?"assistant", ?)?"content": ?"(${WRITTEN})"\}` +
    String.raw`(?:, ?"(?:finish_reason|logprobs)": ?null)*\}\](?:, ?(?:${IGNORED}))*\}$`,
);

/** The text of such a chunk; null for any other, which must be parsed. */
export function readPlainChunk(data: string): string | null {
  const match = matchPattern(PLAIN_CHUNK, data);
  return match === null ? null : readWritten(match[1] ?? "");
}
