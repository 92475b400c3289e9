// What needs the root secret or a hash, behind a port: core/ has no cryptography.

export interface Secrets {
  /** HMAC-SHA-256 of an API key's secret with the pepper, hexadecimal: what the store keeps of a key. */
  hashKeySecret(secret: string): string;
  /** Whether a presented secret gives that hash; compared in constant time. */
  matchesKeySecret(secret: string, hash: string): boolean;
  /** SHA-256, hexadecimal: the fingerprint of an idempotent request. */
  fingerprint(text: string): string;
  /** Keyed hash of an end user for providers, hexadecimal; differs between organizations. */
  hashEndUser(organizationId: string, endUser: string): string;
  /** Tells this root secret from another, hexadecimal: derived from it for nothing else, so that it says nothing of any other key. */
  readonly checkValue: string;
  /** A new API key and the parts of it that are stored. */
  mintApiKey(): MintedApiKey;
}

export interface MintedApiKey {
  /** The whole secret, `sk_…`: shown once, stored nowhere. */
  readonly secret: string;
  /** Its public look-up part. */
  readonly lookup: string;
  readonly hash: string;
}
