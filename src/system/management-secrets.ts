// Secrets of the management interface: tokens, sessions, sign-in links. Each is random and stored as an HMAC under the
// key of its purpose.
import { randomBytes } from "node:crypto";
import { SECRET_RANDOM_BYTES } from "../core/access/checked-secret.ts";
import { makeToken } from "../core/access/token-format.ts";
import type { ManagementSecrets } from "../ports/store/management.ts";
import { createKeyedHash, deriveKey, isEqualText } from "./hashing.ts";

/** The purposes of derived keys; like those of hashing.ts they must never change. */
const PURPOSES = {
  token: "admin-token-pepper-v1",
  session: "management-secret-v1",
  csrf: "management-csrf-v1",
} as const;

const SECRET_BYTES = 32;

/** The same root secret gives the same hashes on every node. */
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
