// Keys derived from a root secret, hashes under them, and their comparison.
import { createHmac, hkdfSync } from "node:crypto";

const DERIVED_BYTES = 32;

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
