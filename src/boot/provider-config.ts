// The providers as they are configured, in the environment or in turngate.yaml.

/** The kinds of wire a provider can speak. */
export const PROVIDER_TYPES = ["anthropic", "gemini", "openai", "openai-compatible", "simulated"] as const;
export type ProviderType = (typeof PROVIDER_TYPES)[number];

/** One configured provider; null: the type's own. */
export interface ProviderConfig {
  readonly name: string;
  readonly type: ProviderType;
  readonly apiKey: string | null;
  readonly baseUrl: string | null;
}
