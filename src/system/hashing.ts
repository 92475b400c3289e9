// What needs the root secret: every use has a key of its own, derived from TURNGATE_SECRET by HKDF, so that none says anything
// of another.
import { createHmac, hash, hkdfSync, randomBytes } from "node:crypto";
import { SECRET_RANDOM_BYTES } from "../core/accounts/checked-secret.ts";
import { makeKey } from "../core/accounts/keys.ts";
import type { Secrets } from "../ports/secrets.ts";

/** What keys are derived for. A purpose's text can never change: all that was hashed with its key would be lost. */
const PURPOSES = {
  keyPepper: "api-key-pepper-v1",
  endUser: "end-user-hash-v1",
  check: "root-secret-check-v1",
} as const;
const DERIVED_BYTES = 32;

/** The hashes of a service with that root secret; the same secret gives the same hashes on every node. */
export function createSecrets(rootSecret: string): Secrets {
  const keyPepper = deriveKey(rootSecret, PURPOSES.keyPepper);
  const hashEndUser = createKeyedHash(deriveKey(rootSecret, PURPOSES.endUser));
  const hashKeySecret = createKeyedHash(keyPepper);
  return {
    hashKeySecret,
    matchesKeySecret: createMatcher(hashKeySecret),
    fingerprint: (text) => hash("sha256", text, "hex"),
    checkValue: deriveKey(rootSecret, PURPOSES.check).toString("hex"),
    // No id holds U+0000, so no two pairs give the same text.
    hashEndUser: (organizationId, endUser) => hashEndUser(`${organizationId}\0${endUser}`),
    mintApiKey: () => {
      const { lookup, secret } = makeKey(randomBytes(SECRET_RANDOM_BYTES));
      return { lookup, secret, hash: hashKeySecret(secret) };
    },
  };
}

/** A key of its own for a purpose. */
export function deriveKey(rootSecret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", rootSecret, "turngate", purpose, DERIVED_BYTES));
}

/** Bytes that SHA-256 takes in at once. */
const BLOCK_BYTES = 64;
const HASH_BYTES = 32;
/** Longest text that is hashed without Node's own HMAC: longer than any key. */
const SHORT_BYTES = 256;

/**
 * HMAC-SHA-256 of short texts, in hexadecimal. Every request makes one: written out as two hashes (RFC 2104) over memory that is
 * kept, it costs half of what a `createHmac` does, which makes an object that must be collected.
 */
export function createKeyedHash(key: Buffer): (text: string) => string {
  if (key.length > BLOCK_BYTES) throw new Error("a key longer than a block would have to be hashed first");
  const inner = Buffer.alloc(BLOCK_BYTES + SHORT_BYTES, 0x36);
  const outer = Buffer.alloc(BLOCK_BYTES + HASH_BYTES, 0x5c);
  for (const [index, byte] of key.entries()) {
    inner[index] = byte ^ 0x36;
    outer[index] = byte ^ 0x5c;
  }
  return (text) => {
    // A UTF-16 code unit is three bytes at most.
    if (text.length * 3 > SHORT_BYTES) return createHmac("sha256", key).update(text).digest("hex");
    const bytes = inner.write(text, BLOCK_BYTES, "utf8");
    outer.write(hash("sha256", inner.subarray(0, BLOCK_BYTES + bytes), "hex"), BLOCK_BYTES, "hex");
    return hash("sha256", outer, "hex");
  };
}

/** Secrets that are kept; when there are more, all are forgotten. */
const PROVEN_MAX = 1000;

/**
 * Whether a secret gives a hash. What has been proven is not hashed again: the same secret gives the same hash for ever, so whoever is
 * allowed to present it is still asked of the store each time. Secrets that gave no hash are not kept (docs/decisions/proven-secrets.md).
 */
function createMatcher(hashOf: (secret: string) => string): (secret: string, expected: string) => boolean {
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

/** Compares in constant time: every character is looked at, whatever those before it say. */
export function isEqualText(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let at = 0; at < one.length; at++) difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}
