// Secrets of the management interface: tokens, sessions, sign-in links. Each is random and stored as an HMAC under the
// key of its purpose.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { SECRET_RANDOM_BYTES, TOKEN_FORMAT } from "../core/access/checked-secret.ts";
import type { ManagementSecrets } from "../ports/management-secrets.ts";
import { isEqualText } from "./keyed-hash.ts";
import { createRootKeys, type RootKeys } from "./root-keys.ts";

/** The purposes of derived keys; like those of hashing.ts they must never change. */
const PURPOSES = {
  token: "admin-token-pepper-v1",
  session: "management-secret-v1",
  csrf: "management-csrf-v1",
  seal: "management-seal-v1",
  address: "sign-in-address-v1",
} as const;

const SECRET_BYTES = 32;

/** Secrets under the root keys, or under a single root secret. Those of sessions and links end with their root secret. */
export function createManagementSecrets(given: RootKeys | string): ManagementSecrets {
  const root = typeof given === "string" ? createRootKeys({ current: given, former: null }) : given;
  const tokens = root.hashesFor(PURPOSES.token);
  const { hash: hashSecret } = root.hashesFor(PURPOSES.session);
  return {
    mintToken() {
      const { lookup, secret } = TOKEN_FORMAT.make(randomBytes(SECRET_RANDOM_BYTES));
      return { lookup, secret, hash: tokens.hash(secret), root: root.inUse() };
    },
    matchesToken: tokens.matches,
    renewTokenHash: tokens.renew,
    mintSecret() {
      const secret = randomBytes(SECRET_BYTES).toString("base64url");
      return { secret, hash: hashSecret(secret) };
    },
    hashSecret,
    hashAddress: root.hashesFor(PURPOSES.address).hash,
    csrfTokenOf: root.hashesFor(PURPOSES.csrf).hash,
    isEqual: isEqualText,
    ...createSeal(() => root.keyFor(PURPOSES.seal)),
  };
}

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Authenticated encryption: nonce, tag and encrypted text, in base64url. */
function createSeal(keyOf: () => Buffer): Pick<ManagementSecrets, "seal" | "open"> {
  return {
    seal(text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, keyOf(), nonce, { authTagLength: TAG_BYTES });
      const encrypted = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString("base64url");
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, "base64url");
      if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
      const decipher = createDecipheriv(CIPHER, keyOf(), bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      try {
        return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
      } catch {
        return null;
      }
    },
  };
}
