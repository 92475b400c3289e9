// A delta of text, as nearly all events are, read without parsing its JSON.
import { COUNT, matchPattern, readWritten, WRITTEN } from "../json-pattern.ts";

/** The provider fills events up with spaces, so that their length says nothing. */
const PLAIN_DELTA = new RegExp(
  String.raw`^\{"type": ?"content_block_delta", ?"index": ?(${COUNT}), ?"delta": ?\{"type": ?"text_delta", ?"text": ?"(${WRITTEN})" *\} *\}$`,
);

export interface PlainDelta {
  readonly index: number;
  readonly text: string;
}

/** The delta, when the event is such a one; null: its JSON must be parsed to know what it is. */
export function readPlainDelta(data: string): PlainDelta | null {
  const match = matchPattern(PLAIN_DELTA, data);
  return match === null ? null : { index: Number(match[1]), text: readWritten(match[2] ?? "") };
}
