// Cryptography, as a port: core/ has none.

export interface Secrets {
  /** HMAC-SHA-256 of an API key's secret with the pepper, hexadecimal: the stored form of a key. */
  hashKeySecret(secret: string): string;
  /** Whether a secret has that hash; compared in constant time. */
  matchesKeySecret(secret: string, hash: string): boolean;
  /** The hash of a key's secret under the current root secret, in place of one under the former; null: it is that already. */
  renewKeyHash(secret: string, hash: string): RenewedHash | null;
  /** SHA-256, hexadecimal: the fingerprint of an idempotent request. */
  fingerprint(content: string | Uint8Array): string;
  /** Keyed hash of an end user for providers, hexadecimal; different in each organization. */
  hashEndUser(organizationId: string, endUser: string): string;
  /**
   * Identify the root secrets, hexadecimal: the current one, then the former one while it is being rotated. Derived from
   * them for this purpose alone, so they reveal nothing about other keys.
   */
  readonly checkValues: readonly string[];
  /** Says which of them the database's hashes are made with: this one is used from now on. */
  settle(checkValue: string): void;
  /** Creates a new API key. */
  mintApiKey(): MintedApiKey;
}

/** A hash that replaces another one of the same secret. */
export interface RenewedHash {
  readonly from: string;
  readonly hash: string;
  /** The check value of the root secret that it was made with. */
  readonly root: string;
}

export interface MintedApiKey {
  /** The whole secret, `sk_…`: shown once, never stored. */
  readonly secret: string;
  /** The public part that the store looks keys up by. */
  readonly lookup: string;
  readonly hash: string;
  /** The check value of the root secret that the hash was made with. */
  readonly root: string;
}
