// Reads text deltas, nearly all of the events, without parsing their JSON.
import type { JsonObject } from "../../base/json.ts";
import { COUNT, matchPattern, readWritten, WRITTEN } from "../wire/json-pattern.ts";

/** The provider pads events with spaces to hide their length. */
const PLAIN_DELTA = new RegExp(
  String.raw`^\{"type": ?"content_block_delta", ?"index": ?(${COUNT}), ?"delta": ?\{"type": ?"text_delta", ?"text": ?"(${WRITTEN})" *\} *\}$`,
);

/** Its index, and the delta itself. */
export interface PlainDelta extends JsonObject {
  readonly index: number;
  readonly text: string;
}

/** The delta; null if the event is of another kind and has to be parsed. */
export function readPlainDelta(data: string): PlainDelta | null {
  const match = matchPattern(PLAIN_DELTA, data);
  return match === null ? null : { index: Number(match[1]), text: readWritten(match[2] ?? "") };
}
