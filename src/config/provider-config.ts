// The providers as they are configured, in the environment or in turngate.yaml.
import type { ProviderFamily } from "../providers/family.ts";

/** One configured provider; null: the family's own. */
export interface ProviderConfig {
  readonly name: string;
  readonly family: ProviderFamily;
  readonly apiKey: string | null;
  readonly baseUrl: string | null;
  /** Used in turn with the first key. Only turngate.yaml can list several keys. */
  readonly furtherApiKeys?: readonly string[];
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Longest silence before and within a response. */
  readonly timeoutSeconds?: number;
  /** The reason why it is on, for people. */
  readonly because: string;
}
