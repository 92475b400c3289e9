// The providers as they are configured, in the environment or in turngate.yaml.
import type { ProviderType } from "../providers/registry.ts";

/** Kept here, where they cost nothing to load; that none is missing is for the compiler to say. */
const REGISTERED: Readonly<Record<ProviderType, true>> = {
  anthropic: true,
  gemini: true,
  openai: true,
  "openai-compatible": true,
  simulated: true,
};

/** The kinds of wire a provider can speak. */
export const PROVIDER_TYPES = Object.keys(REGISTERED) as readonly ProviderType[];

/** One configured provider; null: the type's own. */
export interface ProviderConfig {
  readonly name: string;
  readonly type: ProviderType;
  readonly apiKey: string | null;
  readonly baseUrl: string | null;
}
