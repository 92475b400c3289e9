// Padding of delta events, so that the size of a frame does not reveal the length of its text.
// @spec endpoints/post-responses
import { randomBytes } from "node:crypto";

/** A delta and its padding together fill whole blocks of this many bytes (docs/wire.md, Event payloads). */
export const PADDING_BLOCK_BYTES = 16;

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/** Longer than the window of gzip and deflate, so that a compressing proxy cannot compress repeated padding away. */
const POOL_CHARACTERS = 64 * 1024;

// The characters are not quite equally likely, which does not matter: they hide a length, not a secret.
const pool = Array.from(randomBytes(POOL_CHARACTERS), (byte) => ALPHABET[byte % ALPHABET.length]).join("");
let position = 0;

/**
 * Returns the padding of a delta: 1 to 16 characters of `[A-Za-z0-9]`. A delta that fills its blocks gets another
 * block, because padding is never empty.
 *
 * @param deltaJson the delta as a JSON string with its quotes. Its bytes on the wire are measured, so that escapes and
 *   non-ASCII text reveal no more than plain letters.
 */
export function padDelta(deltaJson: string): string {
  const quotes = 2;
  const missing = PADDING_BLOCK_BYTES - ((Buffer.byteLength(deltaJson) - quotes) & (PADDING_BLOCK_BYTES - 1));
  if (position + missing > POOL_CHARACTERS) position = 0;
  const start = position;
  position += missing;
  return pool.slice(start, position);
}
