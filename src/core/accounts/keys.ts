// API keys, `sk_…`. @spec authentication
import { type CheckedSecret, SECRET_RANDOM_BYTES, secretFormat } from "./checked-secret.ts";

const FORMAT = secretFormat("sk_");

/** Random bytes that a key is made from. */
export const KEY_RANDOM_BYTES = SECRET_RANDOM_BYTES;

/** Reads a presented key; null when it is malformed or its checksum is wrong, so that it can be no key at all. */
export function readKey(text: string): CheckedSecret | null {
  return FORMAT.read(text);
}

/** Makes a key of KEY_RANDOM_BYTES random bytes; the same bytes give the same key. */
export function makeKey(randomBytes: Uint8Array): CheckedSecret {
  return FORMAT.make(randomBytes);
}
