// The keys that are derived from the root secret. While it is being rotated there are two of them, the current one and
// the former one: what either has hashed is accepted. docs/decisions/root-secret.md
import type { RootSecrets } from "../contract/root-secrets.ts";
import type { RenewedHash } from "../ports/secrets.ts";
import { createKeyedHash, deriveKey, isEqualText } from "./keyed-hash.ts";

/** Hashes for one purpose. */
export interface KeyedHashes {
  /** HMAC-SHA-256 under the root secret in use, in hexadecimal. */
  hash(text: string): string;
  /** Whether one of the root secrets makes this hash of the text. */
  matches(text: string, expected: string): boolean;
  /** The hash under the current root secret in place of one that matches; null: it is that, or not to be replaced yet. */
  renew(text: string, expected: string): RenewedHash | null;
}

export interface RootKeys {
  /** What tells the root secrets from others: of the current one, then of the former one if there is one. */
  readonly checkValues: readonly string[];
  /** Makes hashes with the root secret of this check value from now on, as the database does; the current one by default. */
  settle(checkValue: string): void;
  /** The check value of the root secret in use. */
  inUse(): string;
  hashesFor(purpose: string, match?: MakeMatcher): KeyedHashes;
  /** The derived key of a purpose, of the root secret in use. */
  keyFor(purpose: string): Buffer;
}

type HashOf = (text: string) => string;
type MakeMatcher = (hashOf: HashOf) => (text: string, expected: string) => boolean;

/** The purpose of check values; like all purposes it must never change. */
const CHECK = "root-secret-check-v1";

/** The same root secrets give the same hashes on every node. */
export function createRootKeys({ current, former }: RootSecrets): RootKeys {
  const known = former === null ? [current] : [current, former];
  const checkValues = known.map((secret) => deriveKey(secret, CHECK).toString("hex"));
  /** The place of the one in use among the known ones. */
  let used = 0;
  return {
    checkValues,
    settle(checkValue) {
      used = Math.max(0, checkValues.indexOf(checkValue));
    },
    inUse: () => checkValues[used] ?? "",
    hashesFor(purpose, match = createPlainMatcher) {
      const hashes = known.map((secret) => createKeyedHash(deriveKey(secret, purpose)));
      const matchers = hashes.map(match);
      const hash: HashOf = (text) => hashes[used]?.(text) ?? "";
      return {
        hash,
        matches: (text, expected) => matchers.some((matches) => matches(text, expected)),
        renew(text, expected) {
          if (known.length === 1 || used !== 0) return null;
          const renewed = hash(text);
          return isEqualText(renewed, expected) ? null : { from: expected, hash: renewed, root: checkValues[0] ?? "" };
        },
      };
    },
    keyFor: (purpose) => deriveKey(known[used] ?? current, purpose),
  };
}

function createPlainMatcher(hashOf: HashOf) {
  return (text: string, expected: string) => isEqualText(hashOf(text), expected);
}
