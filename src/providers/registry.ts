// The registry of providers: builds each configured one by its type and finds it by its name.
import type { Provider, ProviderRegistry } from "../ports/provider.ts";
import { createAnthropicProvider } from "./anthropic/provider.ts";
import type { FamilyEntry, ProviderFamily, ProviderWorld } from "./family.ts";
import { createGeminiProvider } from "./gemini/provider.ts";
import { createOpenAiProvider } from "./openai/provider.ts";
import { createOpenAiCompatibleProvider } from "./openai-compatible/provider.ts";
import { createSimulatedProvider } from "./simulated/provider.ts";

/** One builder a type: a family joins the service by its line here. */
const FAMILIES = {
  anthropic: createAnthropicProvider,
  gemini: createGeminiProvider,
  openai: createOpenAiProvider,
  "openai-compatible": createOpenAiCompatibleProvider,
  simulated: createSimulatedProvider,
} as const satisfies Record<string, ProviderFamily>;

export type ProviderType = keyof typeof FAMILIES;

/** One entry of `providers` in the configuration. */
export interface ProviderEntry extends FamilyEntry {
  readonly type: ProviderType;
}

/** How the GenAI conventions of OpenTelemetry call a family; null: every service behind it has its own name. */
const GEN_AI_NAMES: Readonly<Record<ProviderType, string | null>> = {
  anthropic: "anthropic",
  gemini: "gcp.gemini",
  openai: "openai",
  "openai-compatible": null,
  simulated: null,
};

/** What configured providers are called in traces, by their names here; one that the conventions don't know is left out. */
export function genAiNames(entries: readonly ProviderEntry[]): ReadonlyMap<string, string> {
  return new Map(
    entries.flatMap(({ name, type }) => {
      const genAiName = GEN_AI_NAMES[type];
      return genAiName === null ? [] : [[name, genAiName] as const];
    }),
  );
}

/** Builds every configured provider. Throws an Error in words for the operator when an entry cannot work. */
export function createProviderRegistry(entries: readonly ProviderEntry[], world: ProviderWorld): ProviderRegistry {
  const providers = new Map<string, Provider>();
  for (const entry of entries) {
    if (providers.has(entry.name)) throw new Error(`Provider "${entry.name}" is configured twice.`);
    providers.set(entry.name, FAMILIES[entry.type](entry, world));
  }
  return {
    get(name) {
      const provider = providers.get(name);
      // A bug: the catalog is checked against the providers at start.
      if (provider === undefined) throw new Error(`No provider is named "${name}".`);
      return provider;
    },
    async close() {
      await Promise.all(Array.from(providers.values(), (provider) => provider.close()));
    },
  };
}
