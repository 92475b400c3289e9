/** An answer on some wire, as the bytes that the fake provider writes; all built once, before the first request. */
import { ANSWER, deltaText } from "./script.ts";

/** The frames of one answer, in their order. */
export interface AnswerFrames {
  /** What goes before the first delta. */
  opening(): string;
  delta(text: string): string;
  /** What follows the last delta; `text` is the whole answer. */
  closing(text: string): string;
}

/** A wire begins an answer. */
export type Wire = () => AnswerFrames;

/** A stream of one delta. */
export function instantStream(wire: Wire): Buffer {
  const frames = wire();
  return Buffer.from(frames.opening() + frames.delta(ANSWER) + frames.closing(ANSWER));
}

/** The writes of a stream of `deltas` deltas, `together` of them a write; the end is part of the last write. */
export function streamWrites(wire: Wire, deltas: number, together: number): readonly Buffer[] {
  const frames = wire();
  const writes: Buffer[] = [];
  let [write, answer] = [frames.opening(), ""];
  for (let index = 0; index < deltas; index++) {
    const text = deltaText(index);
    answer += text;
    write += frames.delta(text);
    const isLast = index === deltas - 1;
    if (isLast) write += frames.closing(answer);
    if (!isLast && (index + 1) % together > 0) continue;
    writes.push(Buffer.from(write));
    write = "";
  }
  return writes;
}
