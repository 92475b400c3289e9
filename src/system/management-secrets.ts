// Secrets of the management interface: tokens, sessions, sign-in links. Each is random and kept as an HMAC under a key of its use.
import { randomBytes } from "node:crypto";
import { SECRET_RANDOM_BYTES } from "../core/accounts/checked-secret.ts";
import { makeToken } from "../core/accounts/tokens.ts";
import type { ManagementSecrets } from "../ports/management.ts";
import { createKeyedHash, deriveKey, isEqualText } from "./hashing.ts";

/** What keys are derived for; as fixed as those of hashing.ts. */
const PURPOSES = {
  token: "admin-token-pepper-v1",
  session: "management-secret-v1",
  csrf: "management-csrf-v1",
} as const;

/** Nobody guesses 256 bits. */
const SECRET_BYTES = 32;

/** The secrets of a service with that root secret; the same root secret gives the same hashes on every node. */
export function createManagementSecrets(rootSecret: string): ManagementSecrets {
  const hashWith = (purpose: string) => createKeyedHash(deriveKey(rootSecret, purpose));
  const hashToken = hashWith(PURPOSES.token);
  const hashSecret = hashWith(PURPOSES.session);
  return {
    mintToken() {
      const { lookup, secret } = makeToken(randomBytes(SECRET_RANDOM_BYTES));
      return { lookup, secret, hash: hashToken(secret) };
    },
    matchesToken: (secret, expected) => isEqualText(hashToken(secret), expected),
    mintSecret() {
      const secret = randomBytes(SECRET_BYTES).toString("base64url");
      return { secret, hash: hashSecret(secret) };
    },
    hashSecret,
    csrfTokenOf: hashWith(PURPOSES.csrf),
    isEqual: isEqualText,
  };
}
