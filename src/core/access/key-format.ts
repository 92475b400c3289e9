// API keys, `sk_…`. @spec authentication
import { type CheckedSecret, secretFormat } from "./checked-secret.ts";

const FORMAT = secretFormat("sk_");

/** Parses a key; null when it is malformed or its checksum is wrong. */
export function readKey(text: string): CheckedSecret | null {
  return FORMAT.read(text);
}

/** Makes a key from SECRET_RANDOM_BYTES random bytes; the same bytes give the same key. */
export function makeKey(randomBytes: Uint8Array): CheckedSecret {
  return FORMAT.make(randomBytes);
}
