// Reads a text delta, as nearly all events are, without parsing its JSON.
import { COUNT, matchPattern, readWritten, STRING, WRITTEN } from "../wire/json-pattern.ts";

const PLAIN_DELTA = new RegExp(
  String.raw`^\{"type": ?"response\.output_text\.delta"(?:, ?"(?:sequence_number|item_id)": ?(?:${COUNT}|${STRING}))*` +
    String.raw`, ?"output_index": ?(${COUNT}), ?"content_index": ?(${COUNT}), ?"delta": ?"(${WRITTEN})"` +
    String.raw`(?:, ?"(?:sequence_number|logprobs|obfuscation)": ?(?:${COUNT}|${STRING}|\[\]))*\}$`,
);

export interface PlainDelta {
  readonly outputIndex: number;
  readonly contentIndex: number;
  readonly text: string;
}

/** The delta; null for any other event, which must be parsed. */
export function readPlainDelta(data: string): PlainDelta | null {
  const match = matchPattern(PLAIN_DELTA, data);
  if (match === null) return null;
  return { outputIndex: Number(match[1]), contentIndex: Number(match[2]), text: readWritten(match[3] ?? "") };
}
