/** Checks one response of a side before load is applied, so that a benchmark never measures the wrong thing. */
import { RESPONSE_TEXT, DELTAS, deltaText } from "../provider/script.ts";
import { exchangeOk } from "./exchange.ts";
import type { RequestParts } from "./request.ts";

/** Later responses must have at least this share of its size: ids and padding vary a little. */
const SIZE_SHARE = 0.9;

/** Checks that a non-streaming response has the provider's text. Returns the minimum size of such a response. */
export async function inspectResponse(port: number, parts: RequestParts): Promise<number> {
  const text = await exchangeOk(port, parts);
  if (!text.includes(RESPONSE_TEXT)) throw new Error(`a response without the provider's text: ${text.slice(0, 300)}`);
  return leastSize(text);
}

/** Checks that a long stream has every delta in its own frame. Returns the minimum size of such a stream. */
export async function inspectStream(port: number, parts: RequestParts, deltaFrame: string): Promise<number> {
  const text = await exchangeOk(port, parts);
  const frames = text.split("\n\n").filter((frame) => frame.includes(deltaFrame));
  if (frames.length < DELTAS || !text.includes(deltaText(DELTAS - 1))) {
    throw new Error(`a stream with ${frames.length} of ${DELTAS} deltas, ending in: ${text.slice(-300)}`);
  }
  return leastSize(text);
}

/** Identifies a delta frame of each kind of stream. */
export const RESPONSES_DELTA = "event: response.output_text.delta";
export const CHAT_DELTA = '"content":"lorem ';

function leastSize(text: string): number {
  return Math.floor(Buffer.byteLength(text) * SIZE_SHARE);
}
