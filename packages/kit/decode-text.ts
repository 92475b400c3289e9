// Reads text files, which have to be UTF-8.
import { isUtf8 } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import { OperatorError, reasonOf } from "./operator-error.ts";

/** Decodes a file; throws an OperatorError for any encoding but UTF-8. */
export function decodeText(name: string, bytes: Buffer): string {
  const text = bytes.toString("utf8");
  // UTF-16 without a byte order mark can be valid UTF-8, with a U+0000 beside every letter.
  if (isUtf8(bytes) && !text.includes("\0")) return text;
  const line = text.slice(0, text.search(/[\0\ufffd]/)).split("\n").length;
  throw new OperatorError(`${name}:${line}: the file must be UTF-8 text.`);
}

/** Reads a file of at most `bytesMax` bytes; throws an OperatorError if it can't be read, or is larger. */
export function readTextFile(name: string, bytesMax: number): string {
  try {
    if (statSync(name).size <= bytesMax) return decodeText(name, readFileSync(name));
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`${name} can't be read (${reasonOf(error)}).`, { cause: error });
  }
  throw new OperatorError(`${name} has more than ${bytesMax} bytes.`);
}
