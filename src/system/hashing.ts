// What needs the root secret: every use has a key of its own, derived from TURNGATE_SECRET by HKDF, so that none says anything
// of another. Provider keys kept in the store will be one more purpose.
import { createHmac, hash, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { KEY_RANDOM_BYTES, makeKey } from "../core/accounts/keys.ts";
import type { Secrets } from "../ports/secrets.ts";

/** What keys are derived for. A purpose's text can never change: all that was hashed with its key would be lost. */
const PURPOSES = { keyPepper: "api-key-pepper-v1", endUser: "end-user-hash-v1" } as const;
const DERIVED_BYTES = 32;

/** The hashes of a service with that root secret; the same secret gives the same hashes on every node. */
export function createSecrets(rootSecret: string): Secrets {
  const keyPepper = deriveKey(rootSecret, PURPOSES.keyPepper);
  const endUserKey = deriveKey(rootSecret, PURPOSES.endUser);
  const hashKeySecret = (secret: string) => createHmac("sha256", keyPepper).update(secret).digest("hex");
  return {
    hashKeySecret,
    matchesKeySecret: (secret, expected) => isEqualText(hashKeySecret(secret), expected),
    fingerprint: (text) => hash("sha256", text, "hex"),
    // No id holds U+0000, so no two pairs give the same text.
    hashEndUser: (organizationId, endUser) =>
      createHmac("sha256", endUserKey).update(`${organizationId}\0${endUser}`).digest("hex"),
    mintApiKey: () => {
      const { lookup, secret } = makeKey(randomBytes(KEY_RANDOM_BYTES));
      return { lookup, secret, hash: hashKeySecret(secret) };
    },
  };
}

/** A key of its own for a purpose. */
export function deriveKey(rootSecret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", rootSecret, "turngate", purpose, DERIVED_BYTES));
}

/** Compares in constant time. */
export function isEqualText(one: string, other: string): boolean {
  const [oneBytes, otherBytes] = [Buffer.from(one), Buffer.from(other)];
  return oneBytes.length === otherBytes.length && timingSafeEqual(oneBytes, otherBytes);
}
