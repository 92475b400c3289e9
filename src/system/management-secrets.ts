// Secrets of the management interface: tokens, sessions, sign-in links. Each is random and stored as an HMAC under the
// key of its purpose.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { SECRET_RANDOM_BYTES, TOKEN_FORMAT } from "../core/access/checked-secret.ts";
import type { ManagementSecrets } from "../ports/management-secrets.ts";
import { createKeyedHash, deriveKey, isEqualText } from "./hashing.ts";

/** The purposes of derived keys; like those of hashing.ts they must never change. */
const PURPOSES = {
  token: "admin-token-pepper-v1",
  session: "management-secret-v1",
  csrf: "management-csrf-v1",
  seal: "management-seal-v1",
} as const;

const SECRET_BYTES = 32;

/** The same root secret gives the same hashes on every node. */
export function createManagementSecrets(rootSecret: string): ManagementSecrets {
  const hashWith = (purpose: string) => createKeyedHash(deriveKey(rootSecret, purpose));
  const hashToken = hashWith(PURPOSES.token);
  const hashSecret = hashWith(PURPOSES.session);
  return {
    mintToken() {
      const { lookup, secret } = TOKEN_FORMAT.make(randomBytes(SECRET_RANDOM_BYTES));
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
    ...createSeal(deriveKey(rootSecret, PURPOSES.seal)),
  };
}

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Authenticated encryption: nonce, tag and encrypted text, in base64url. */
function createSeal(key: Buffer): Pick<ManagementSecrets, "seal" | "open"> {
  return {
    seal(text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
      const encrypted = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString("base64url");
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, "base64url");
      if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      try {
        return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
      } catch {
        return null;
      }
    },
  };
}
