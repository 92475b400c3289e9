// The providers as they are configured, in the environment or in turngate.yaml.
import type { ProviderType as RegisteredType } from "../providers/registry.ts";

/** The kinds of wire a provider can speak: those of the registry, kept here, where they cost nothing to load. */
export const PROVIDER_TYPES = [
  "anthropic",
  "gemini",
  "openai",
  "openai-compatible",
  "simulated",
] as const satisfies readonly RegisteredType[];
export type ProviderType = (typeof PROVIDER_TYPES)[number];

/** One configured provider; null: the type's own. */
export interface ProviderConfig {
  readonly name: string;
  readonly type: ProviderType;
  readonly apiKey: string | null;
  readonly baseUrl: string | null;
}
