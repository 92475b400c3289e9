// The secrets that all hashes of keys, tokens and sessions are made with.

/** The root secret, and the former one while hashes of it are left. */
export interface RootSecrets {
  readonly current: string;
  readonly former: string | null;
}
