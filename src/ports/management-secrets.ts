// Secrets and passwords of the management interface, as ports: core/ has no cryptography.
// @spec authentication
import type { RenewedHash } from "./secrets.ts";

/** A secret, shown once, and its hash, which is stored. */
export interface MintedSecret {
  readonly secret: string;
  readonly hash: string;
}

/** Creates and checks the secrets of the management interface; every use has its own HMAC key. */
export interface ManagementSecrets {
  /** A new `adm_…` token and its stored parts. */
  mintToken(): MintedSecret & { readonly lookup: string; readonly root: string };
  /** Whether a presented token has that hash; compared in constant time. */
  matchesToken(secret: string, hash: string): boolean;
  /** As `renewKeyHash`, for a token. */
  renewTokenHash(secret: string, hash: string): RenewedHash | null;
  /** A new secret of a session or a sign-in link. */
  mintSecret(): MintedSecret;
  hashSecret(secret: string): string;
  /** The hash under which attempts to sign in are counted on all nodes. */
  hashAddress(address: string): string;
  /** The CSRF token that a page sends with a change; it reveals nothing of the session's secret. */
  csrfTokenOf(sessionSecret: string): string;
  /** Encrypts a text that a browser keeps for us; every node can open it. */
  seal(text: string): string;
  /** The text that was sealed; null for anything else. */
  open(sealed: string): string | null;
  isEqual(one: string, other: string): boolean;
}

/** Password hashes, slow on purpose (argon2id). Both throw 503 `gateway_overloaded` when too many calls wait. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** Whether a password has that hash; with null it takes as long and returns false. */
  matches(password: string, hash: string | null): Promise<boolean>;
}
