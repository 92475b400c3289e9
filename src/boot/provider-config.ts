// The providers as they are configured, in the environment or in turngate.yaml.
import type { ProviderType as BuiltProviderType } from "../providers/registry.ts";

/** The kinds of wire a provider can speak. */
export const PROVIDER_TYPES = ["anthropic", "gemini", "openai", "openai-compatible", "simulated"] as const;
export type ProviderType = (typeof PROVIDER_TYPES)[number];

/** The types that this release has an adapter for. Kept here, where it costs nothing to load, and equal to the registry's by its type. */
const BUILT_TYPES: Readonly<Record<BuiltProviderType, true>> = {
  anthropic: true,
  gemini: true,
  "openai-compatible": true,
  simulated: true,
};

/** One configured provider; null: the type's own. */
export interface ProviderConfig<Type extends ProviderType = ProviderType> {
  readonly name: string;
  readonly type: Type;
  readonly apiKey: string | null;
  readonly baseUrl: string | null;
}

/** A provider that this release can talk to. */
export type BuiltProvider = ProviderConfig<BuiltProviderType>;

/** Whether this release has an adapter for a provider. */
export function isBuilt(provider: ProviderConfig): provider is BuiltProvider {
  return provider.type in BUILT_TYPES;
}

/** The types that this release has an adapter for, as a list for messages. */
export function listBuiltTypes(): string {
  return Object.keys(BUILT_TYPES).join(", ");
}
