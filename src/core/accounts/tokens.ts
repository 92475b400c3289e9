// Tokens of the management interface, `adm_…`. @spec authentication
import { type CheckedSecret, secretFormat } from "./checked-secret.ts";

const FORMAT = secretFormat("adm_");

/** Reads a presented token; null when it is malformed or its checksum is wrong, so that it can be none at all. */
export function readToken(text: string): CheckedSecret | null {
  return FORMAT.read(text);
}

/** Makes a token of SECRET_RANDOM_BYTES random bytes; the same bytes give the same token. */
export function makeToken(randomBytes: Uint8Array): CheckedSecret {
  return FORMAT.make(randomBytes);
}
