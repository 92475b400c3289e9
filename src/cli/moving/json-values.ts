// Reads a file of JSON values one after the other: a value a line, values over several lines, or one value. Only one value is in memory.
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { OperatorError, reasonOf } from "../../../packages/kit/operator-error.ts";

/** Longest value, bytes: twice the largest request by default. */
export const VALUE_BYTES_MAX = 64 * 1024 * 1024;

/** A value's text and the line where it begins, from 1. */
export interface JsonValue {
  readonly line: number;
  readonly value: unknown;
}

/** A file while it is read. */
export interface JsonFile {
  readonly name: string;
  /** The values in order. Throws an OperatorError if the file can't be read, and for a value that is not JSON, too long, or not UTF-8, with its line. */
  values(): AsyncGenerator<JsonValue, void>;
  /** SHA-256 of the file's bytes, hexadecimal; once all values have been read. */
  digest(): string;
}

const [NEWLINE, QUOTE, BACKSLASH] = [0x0a, 0x22, 0x5c];
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);
const BLANK = new Set([0x20, 0x09, 0x0a, 0x0d]);
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** Opens a file whose values have at most `bytesMax` bytes. Nothing is read before its values are. */
export function openJsonFile(name: string, bytesMax: number = VALUE_BYTES_MAX): JsonFile {
  const hash = createHash("sha256");
  const errorAt = (line: number, message: string) => new OperatorError(`${name}:${line}: ${message}`);

  async function* values(): AsyncGenerator<JsonValue, void> {
    let line = 1;
    let position = 0;
    let begin = 0;
    let depth = 0;
    let isInString = false;
    let isEscaped = false;
    let parts: Buffer[] = [];
    let size = 0;
    for await (const chunk of readChunks(name)) {
      hash.update(chunk);
      let from = 0;
      for (let at = 0; at < chunk.length; at++, position++) {
        const byte = chunk[at] ?? 0;
        if (byte === NEWLINE) line += 1;
        if (isInString) {
          if (isEscaped) isEscaped = false;
          else if (byte === BACKSLASH) isEscaped = true;
          else if (byte === QUOTE) isInString = false;
        } else if (depth === 0) {
          if (BLANK.has(byte) || byte === BYTE_ORDER_MARK[position]) continue;
          if (!OPENING.has(byte)) throw errorAt(line, "no JSON object begins here; allowed: JSON, or JSON lines.");
          depth = 1;
          begin = line;
          from = at;
        } else if (byte === QUOTE) isInString = true;
        else if (OPENING.has(byte)) depth += 1;
        else if (CLOSING.has(byte) && --depth === 0) {
          parts.push(chunk.subarray(from, at + 1));
          yield { line: begin, value: parse(Buffer.concat(parts), (message) => errorAt(begin, message)) };
          parts = [];
          size = 0;
        }
        if (depth > 0 && size + at - from >= bytesMax) {
          throw errorAt(begin, `the value that begins here has more than ${bytesMax} bytes; put each item on a line.`);
        }
      }
      if (depth > 0) {
        parts.push(chunk.subarray(from));
        size += chunk.length - from;
      }
    }
    if (depth > 0) throw errorAt(begin, "the value that begins here has no end: the file is cut short.");
  }

  return { name, values, digest: () => hash.copy().digest("hex") };
}

async function* readChunks(name: string): AsyncGenerator<Buffer, void> {
  try {
    yield* createReadStream(name) as AsyncIterable<Buffer>;
  } catch (error) {
    throw new OperatorError(`${name} can't be read (${reasonOf(error)}).`, { cause: error });
  }
}

function parse(bytes: Buffer, errorOf: (message: string) => OperatorError): unknown {
  if (!isUtf8(bytes)) throw errorOf("the value that begins here is no UTF-8 text.");
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    // The library quotes the text, which may be private.
    throw errorOf("the value that begins here is no JSON.");
  }
}
