// Asks the configured providers whether they reply and accept their keys.

/** The reply to one question, which a provider is asked with one of its keys. */
export interface KeyFinding {
  /** The place of the key among those of its provider, from 1; null: no key was sent. */
  readonly position: number | null;
  readonly isOk: boolean;
  /** For the operator, in words. It contains no key, no header and no path, since a path may hold a token. */
  readonly detail: string;
  readonly durationMs: number;
}

/** A configured provider with a finding for each of its keys, one if it has none. */
export interface ProviderFinding {
  readonly name: string;
  readonly type: string;
  readonly keys: readonly KeyFinding[];
}

/** Asks every provider with each of its keys. A provider that does not reply is a finding, not an error. */
export type AskProviders = () => Promise<readonly ProviderFinding[]>;
