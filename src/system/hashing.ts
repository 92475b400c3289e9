// Hashes under the root secret. Each purpose has its own key, derived from TURNGATE_SECRET by HKDF, so that no key
// reveals another.
import { hash, randomBytes } from "node:crypto";
import { KEY_FORMAT, SECRET_RANDOM_BYTES } from "../core/access/checked-secret.ts";
import type { Secrets } from "../ports/secrets.ts";
import { createMatcher } from "./keyed-hash.ts";
import { createRootKeys, type RootKeys } from "./root-keys.ts";

/**
 * The purposes of derived keys. The text of a purpose must never change: everything hashed with its key would be lost.
 */
const PURPOSES = {
  keyPepper: "api-key-pepper-v1",
  endUser: "end-user-hash-v1",
} as const;

/** Secrets under the root keys, or under a single root secret. */
export function createSecrets(given: RootKeys | string): Secrets {
  const root = typeof given === "string" ? createRootKeys({ current: given, former: null }) : given;
  const keys = root.hashesFor(PURPOSES.keyPepper, createMatcher);
  const endUsers = root.hashesFor(PURPOSES.endUser);
  return {
    hashKeySecret: keys.hash,
    matchesKeySecret: keys.matches,
    renewKeyHash: keys.renew,
    fingerprint: (content) => hash("sha256", content, "hex"),
    checkValues: root.checkValues,
    settle: root.settle,
    // No id contains U+0000, so no two pairs give the same text.
    hashEndUser: (organizationId, endUser) => endUsers.hash(`${organizationId}\0${endUser}`),
    mintApiKey: () => {
      const { lookup, secret } = KEY_FORMAT.make(randomBytes(SECRET_RANDOM_BYTES));
      return { lookup, secret, hash: keys.hash(secret), root: root.inUse() };
    },
  };
}
