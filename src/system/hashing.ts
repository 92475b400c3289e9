// Hashes under the root secret. Each purpose has its own key, derived from TURNGATE_SECRET by HKDF, so that no key
// reveals another.
import { createHmac, hash, hkdfSync, randomBytes } from "node:crypto";
import { KEY_FORMAT, SECRET_RANDOM_BYTES } from "../core/access/checked-secret.ts";
import type { Secrets } from "../ports/secrets.ts";

/**
 * The purposes of derived keys. The text of a purpose must never change: everything hashed with its key would be lost.
 */
const PURPOSES = {
  keyPepper: "api-key-pepper-v1",
  endUser: "end-user-hash-v1",
  check: "root-secret-check-v1",
} as const;
const DERIVED_BYTES = 32;

/** The same root secret gives the same hashes on every node. */
export function createSecrets(rootSecret: string): Secrets {
  const keyPepper = deriveKey(rootSecret, PURPOSES.keyPepper);
  const hashEndUser = createKeyedHash(deriveKey(rootSecret, PURPOSES.endUser));
  const hashKeySecret = createKeyedHash(keyPepper);
  return {
    hashKeySecret,
    matchesKeySecret: createMatcher(hashKeySecret),
    fingerprint: (content) => hash("sha256", content, "hex"),
    checkValue: deriveKey(rootSecret, PURPOSES.check).toString("hex"),
    // No id contains U+0000, so no two pairs give the same text.
    hashEndUser: (organizationId, endUser) => hashEndUser(`${organizationId}\0${endUser}`),
    mintApiKey: () => {
      const { lookup, secret } = KEY_FORMAT.make(randomBytes(SECRET_RANDOM_BYTES));
      return { lookup, secret, hash: hashKeySecret(secret) };
    },
  };
}

/** Derives the key of a purpose. */
export function deriveKey(rootSecret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", rootSecret, "turngate", purpose, DERIVED_BYTES));
}

/** HMAC-SHA-256 of texts under one key, in hexadecimal. */
export function createKeyedHash(key: Buffer): (text: string) => string {
  return (text) => createHmac("sha256", key).update(text).digest("hex");
}

/** Proven secrets kept; beyond that number all are dropped. */
const PROVEN_MAX = 1000;

/**
 * Creates a function that checks secrets against their hashes. A proven secret is not hashed again: its hash never
 * changes. Whether its key is still valid is read from the store on every request. Secrets that matched nothing are not
 * kept (docs/decisions/performance.md).
 */
export function createMatcher(hashOf: (secret: string) => string): (secret: string, expected: string) => boolean {
  const proven = new Map<string, string>();
  return (secret, expected) => {
    const known = proven.get(expected);
    if (known !== undefined && isEqualText(known, secret)) return true;
    if (!isEqualText(hashOf(secret), expected)) return false;
    if (proven.size >= PROVEN_MAX) proven.clear();
    proven.set(expected, secret);
    return true;
  };
}

/** Compares in constant time: every character is compared, whatever the result so far. */
export function isEqualText(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let at = 0; at < one.length; at++) difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}
