// The configured providers by name.
import type { Provider, ProviderRegistry } from "../ports/provider.ts";
import type { FamilyEntry, ProviderFamily, ProviderServices } from "./family.ts";
import type { HostDescriptor, HostServices, HostSettings } from "./host.ts";
import { rotateKeys } from "./wire/key-rotation.ts";

/** A configured provider. */
export interface ProviderEntry extends Omit<FamilyEntry, "host"> {
  readonly family: ProviderFamily;
  /** Where its models are hosted; not given: at their maker. */
  readonly hostSettings?: HostSettings;
  /** Used beside the first key. */
  readonly furtherApiKeys?: readonly string[];
}

/** The name of a provider in the GenAI conventions of OpenTelemetry; its own when they do not know it. */
export function genAiNameOf(entries: readonly ProviderEntry[], name: string): string {
  const entry = entries.find((candidate) => candidate.name === name);
  if (entry?.hostSettings !== undefined) return hostOf(entry.family, entry.hostSettings).genAiName;
  return entry?.family.genAiName ?? name;
}

/** What a family says of a host. The types are checked when the configuration is read. */
export function hostOf({ type, hosts }: ProviderFamily, settings: HostSettings): HostDescriptor {
  const host = hosts?.[settings.type];
  if (host === undefined) throw new Error(`The family ${type} has no host "${settings.type}".`);
  return host;
}

/** The entry as its family takes it: with the host that its settings name. */
export async function withHost(entry: ProviderEntry, services: HostServices): Promise<FamilyEntry> {
  const { hostSettings } = entry;
  if (hostSettings === undefined) return entry;
  const hostType = await hostOf(entry.family, hostSettings).load();
  return { ...entry, host: hostType.create({ ...entry, hostSettings }, services) };
}

/** Creates every configured provider. Rejects with an Error for the operator when an entry cannot work. */
export async function createProviderRegistry(
  entries: readonly ProviderEntry[],
  services: ProviderServices & HostServices,
): Promise<ProviderRegistry> {
  const providers = new Map<string, Provider>();
  for (const entry of entries) {
    if (providers.has(entry.name)) throw new Error(`Provider "${entry.name}" is configured twice.`);
    const createProvider = await entry.family.loadCreateProvider();
    const create = async (apiKey: string | null) =>
      createProvider(await withHost({ ...entry, apiKey }, services), services);
    const further = await Promise.all((entry.furtherApiKeys ?? []).map(create));
    providers.set(entry.name, rotateKeys([await create(entry.apiKey), ...further], services.clock));
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
