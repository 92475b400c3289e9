/** Looks at one whole answer before load is put on a side, so that a benchmark never measures the wrong thing. */
import { ANSWER, DELTAS, deltaText } from "../provider/script.ts";
import { exchangeOk } from "./exchange.ts";
import type { RequestParts } from "./request.ts";

/** The least share of the inspected answer's size that later answers must have: ids and padding vary a little. */
const SIZE_SHARE = 0.9;

/** An answer that is not streamed must hold the provider's text. Answers the least size of such an answer. */
export async function inspectAnswer(port: number, parts: RequestParts): Promise<number> {
  const text = await exchangeOk(port, parts);
  if (!text.includes(ANSWER)) throw new Error(`an answer without the provider's text: ${text.slice(0, 300)}`);
  return leastSize(text);
}

/** A long stream must hold every delta, each in a frame of its own. Answers the least size of such a stream. */
export async function inspectStream(port: number, parts: RequestParts, deltaFrame: string): Promise<number> {
  const text = await exchangeOk(port, parts);
  const frames = text.split("\n\n").filter((frame) => frame.includes(deltaFrame));
  if (frames.length < DELTAS || !text.includes(deltaText(DELTAS - 1))) {
    throw new Error(`a stream with ${frames.length} of ${DELTAS} deltas, ending in: ${text.slice(-300)}`);
  }
  return leastSize(text);
}

/** Marks a delta frame of each kind of stream. */
export const RESPONSES_DELTA = "event: response.output_text.delta";
export const CHAT_DELTA = '"content":"lorem ';

function leastSize(text: string): number {
  return Math.floor(Buffer.byteLength(text) * SIZE_SHARE);
}
