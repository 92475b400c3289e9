// The configured providers by name.
import type { Provider, ProviderRegistry } from "../ports/provider.ts";
import type { FamilyEntry, ProviderFamily, ProviderServices } from "./family.ts";
import { rotateKeys } from "./wire/key-rotation.ts";

/** A configured provider. */
export interface ProviderEntry extends FamilyEntry {
  readonly family: ProviderFamily;
  /** Used in turn with the first key. */
  readonly furtherApiKeys?: readonly string[];
}

/** The name of a provider in the GenAI conventions of OpenTelemetry; its own when they do not know it. */
export function genAiNameOf(entries: readonly ProviderEntry[], name: string): string {
  return entries.find((entry) => entry.name === name)?.family.genAiName ?? name;
}

/** Creates every configured provider. Rejects with an Error for the operator when an entry cannot work. */
export async function createProviderRegistry(
  entries: readonly ProviderEntry[],
  services: ProviderServices,
): Promise<ProviderRegistry> {
  const providers = new Map<string, Provider>();
  for (const entry of entries) {
    if (providers.has(entry.name)) throw new Error(`Provider "${entry.name}" is configured twice.`);
    const createProvider = await entry.family.loadCreateProvider();
    const create = (apiKey: string | null) => createProvider({ ...entry, apiKey }, services);
    providers.set(entry.name, rotateKeys([create(entry.apiKey), ...(entry.furtherApiKeys ?? []).map(create)]));
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
