// Cryptography, as a port: core/ has none.

export interface Secrets {
  /** HMAC-SHA-256 of an API key's secret with the pepper, hexadecimal: the stored form of a key. */
  hashKeySecret(secret: string): string;
  /** Whether a secret has that hash; compared in constant time. */
  matchesKeySecret(secret: string, hash: string): boolean;
  /** SHA-256, hexadecimal: the fingerprint of an idempotent request. */
  fingerprint(content: string | Uint8Array): string;
  /** Keyed hash of an end user for providers, hexadecimal; different in each organization. */
  hashEndUser(organizationId: string, endUser: string): string;
  /**
   * Identifies the root secret, hexadecimal. Derived from it for this purpose alone, so it reveals nothing about other
   * keys.
   */
  readonly checkValue: string;
  /** Creates a new API key. */
  mintApiKey(): MintedApiKey;
}

export interface MintedApiKey {
  /** The whole secret, `sk_…`: shown once, never stored. */
  readonly secret: string;
  /** The public part that the store looks keys up by. */
  readonly lookup: string;
  readonly hash: string;
}
