// Tokens of the management interface, `adm_…`. @spec authentication
import { type CheckedSecret, secretFormat } from "./checked-secret.ts";

const FORMAT = secretFormat("adm_");

/** Parses a token; null when it is malformed or its checksum is wrong. */
export function readToken(text: string): CheckedSecret | null {
  return FORMAT.read(text);
}

/** Makes a token from SECRET_RANDOM_BYTES random bytes; the same bytes give the same token. */
export function makeToken(randomBytes: Uint8Array): CheckedSecret {
  return FORMAT.make(randomBytes);
}
