/** A response on a wire, as bytes; built before the first request. */
import { RESPONSE_TEXT, deltaText } from "./script.ts";

/** The frames of one response, in order. */
export interface AnswerFrames {
  /** Frames before the first delta. */
  opening(): string;
  delta(text: string): string;
  /** Frames after the last delta; `text` is the whole text. */
  closing(text: string): string;
}

/** Starts a response on a wire. */
export type Wire = () => AnswerFrames;

/** A stream of one delta. */
export function instantStream(wire: Wire): Buffer {
  const frames = wire();
  return Buffer.from(frames.opening() + frames.delta(RESPONSE_TEXT) + frames.closing(RESPONSE_TEXT));
}

/** The writes of a stream, with `together` deltas each; the end is part of the last one. */
export function streamWrites(wire: Wire, deltas: number, together: number): readonly Buffer[] {
  const frames = wire();
  const writes: Buffer[] = [];
  let [write, whole] = [frames.opening(), ""];
  for (let index = 0; index < deltas; index++) {
    const text = deltaText(index);
    whole += text;
    write += frames.delta(text);
    const isLast = index === deltas - 1;
    if (isLast) write += frames.closing(whole);
    if (!isLast && (index + 1) % together > 0) continue;
    writes.push(Buffer.from(write));
    write = "";
  }
  return writes;
}
