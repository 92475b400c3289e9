// Bounds of the JSON in a response. docs/reliability.md, A-3
import { endOfString } from "../../base/json.ts";
import { JSON_DEPTH_MAX, JSON_VALUES_MAX } from "./bounds.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPENING = [0x5b, 0x7b] as const;
const CLOSING = [0x5d, 0x7d] as const;

/** Why a text has more JSON than a response may have: `too deep`, `of too many values`; null if it does not. Reads no value. */
export function excessOf(text: string): string | null {
  // A level takes two characters, a value at least two.
  if (text.length <= 2 * JSON_DEPTH_MAX) return null;
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(text, at) - 1;
    else if (unit === COMMA) values++;
    else if (unit === OPENING[0] || unit === OPENING[1]) {
      values++;
      if (++depth > JSON_DEPTH_MAX) return "nested too deep";
    } else if (unit === CLOSING[0] || unit === CLOSING[1]) depth--;
    if (values > JSON_VALUES_MAX) return "of too many values";
  }
  return null;
}
