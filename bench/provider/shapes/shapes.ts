/** All response shapes by family. */
import type { ServerResponse } from "node:http";
import { pipeline, Readable } from "node:stream";
import type { Family } from "../../families.ts";
import { ANTHROPIC_SHAPES } from "./anthropic.ts";
import { GEMINI_SHAPES } from "./gemini.ts";
import { OPENAI_SHAPES } from "./openai.ts";
import { CHAT_SHAPES } from "./openai-compatible.ts";
import { NOISE, type Shape, type Shapes } from "./shape.ts";

/** The shapes of each family, by the name of the model that responds in it. */
export const SHAPES: Readonly<Record<Family, Shapes>> = {
  "openai-compatible": { ...CHAT_SHAPES, ...NOISE },
  anthropic: ANTHROPIC_SHAPES,
  gemini: GEMINI_SHAPES,
  openai: OPENAI_SHAPES,
};

const BY_MODEL: ReadonlyMap<string, Shape> = new Map(Object.values(SHAPES).flatMap((shapes) => Object.entries(shapes)));

/** Characters of one write. */
const WRITE_CHARACTERS = 64 * 1024;

/** The shape of a model; undefined for all other models. */
export function findShape(model: string): Shape | undefined {
  return BY_MODEL.get(model);
}

/** Sends a response as fast as it is read. */
export function sendShape(shape: Shape, response: ServerResponse): void {
  pipeline(Readable.from(writes(shape())), response, () => {});
}

function* writes(pieces: Iterable<string>): Generator<Buffer> {
  let waiting: string[] = [];
  let length = 0;
  for (const piece of pieces) {
    waiting.push(piece);
    length += piece.length;
    if (length < WRITE_CHARACTERS) continue;
    yield Buffer.from(waiting.join(""));
    [waiting, length] = [[], 0];
  }
  yield Buffer.from(waiting.join(""));
}
