// Padding of delta events: the size of a frame must not track the length of its text. @spec endpoints/post-responses
import { randomBytes } from "node:crypto";

/** The delta and its padding together fill whole blocks of this many bytes (docs/wire.md, event payloads). */
export const PADDING_BLOCK_BYTES = 16;

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/** Longer than the window of gzip and deflate, so that a compressing proxy in front finds nothing to fold the padding into. */
const POOL_CHARACTERS = 64 * 1024;

// The letters are not quite equally likely; they hide a length, not a secret.
const pool = Array.from(randomBytes(POOL_CHARACTERS), (byte) => ALPHABET[byte % ALPHABET.length]).join("");
let position = 0;

/**
 * The padding of a delta: 0 to 15 characters of `[A-Za-z0-9]`.
 *
 * @param deltaJson the delta as it stands in the frame, a JSON string with its quotes: what is measured is its bytes on the wire,
 *   so that escapes and text beyond ASCII leak no more than plain letters do.
 */
export function padDelta(deltaJson: string): string {
  const quotes = 2;
  const missing = -(Buffer.byteLength(deltaJson) - quotes) & (PADDING_BLOCK_BYTES - 1);
  if (position + missing > POOL_CHARACTERS) position = 0;
  const start = position;
  position += missing;
  return pool.slice(start, position);
}
