// Reads a text delta, as nearly all events are, without parsing its JSON.
import { COUNT, matchPattern, readWritten, STRING, WRITTEN } from "../wire/json-pattern.ts";

const PLAIN_DELTA = new RegExp(
  String.raw`^\{"type": ?"response\.output_text\.delta"(?:, ?"sequence_number": ?${COUNT})?` +
    String.raw`((?:, ?"item_id": ?${STRING})?, ?"output_index": ?${COUNT}, ?"content_index": ?${COUNT}), ?"delta": ?"(${WRITTEN})"` +
    String.raw`(?:, ?"(?:sequence_number|logprobs|obfuscation)": ?(?:${COUNT}|${STRING}|\[\]))*\}$`,
);

export interface PlainDelta {
  /** The JSON that says which part it continues; the same for all deltas of a part. */
  readonly place: string;
  readonly text: string;
}

/** The delta; null for any other event, which must be parsed. */
export function readPlainDelta(data: string): PlainDelta | null {
  const match = matchPattern(PLAIN_DELTA, data);
  return match === null ? null : { place: match[1] ?? "", text: readWritten(match[2] ?? "") };
}
