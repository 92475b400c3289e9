// The providers that are on: the families of the environment, and the entries of `providers` in turngate.yaml.
import { faultOfHeader } from "../providers/wire/extra-headers.ts";
import { faultOfApiKey, faultOfBaseUrl } from "../providers/endpoint.ts";
import type { ProviderFamily } from "../providers/family.ts";
import type { ConfigFile } from "./config-schema.ts";
import type { ReadConfigFile } from "./config-file.ts";
import type { Environment } from "./environment.ts";
import type { ProviderConfig } from "./provider-config.ts";

type ProviderEntry = NonNullable<ConfigFile["providers"]>[string];

/** The configured providers, and their source. */
interface ProviderSources {
  readonly families: readonly ProviderFamily[];
  readonly environment: Pick<Environment, "providers">;
  readonly file: ReadConfigFile | null;
}

/** The environment's families and the file's providers. For the same name the file takes precedence and the environment fills in. */
export function joinProviders({ families, environment, file }: ProviderSources): readonly ProviderConfig[] {
  const providers = new Map(environment.providers.map((provider) => [provider.name, provider]));
  for (const [name, entry] of Object.entries(file?.config.providers ?? {})) {
    const family = families.find(({ type }) => type === entry.type);
    if (file === null || family === undefined) throw new Error(`There is no family "${entry.type}".`);
    // The environment's key and address are those of the family's maker.
    const isKnown = (provider: ProviderConfig) => provider.name === name && provider.family === family;
    const known = entry.host === undefined ? environment.providers.find(isKnown) : undefined;
    providers.set(name, readProvider({ name, family, entry, known, file }));
  }
  // Simulated models give something to try when there is no file, or when nothing else is on.
  if (file === null || providers.size === 0) {
    const because = file === null ? "no configuration file" : "no other provider is configured";
    for (const family of families.filter(({ isFallback }) => isFallback)) {
      providers.set(family.type, { name: family.type, family, apiKey: null, baseUrl: null, because });
    }
  }
  return [...providers.values()];
}

/** An entry of the file, with its name and its family. */
interface NamedEntry {
  readonly name: string;
  readonly family: ProviderFamily;
  readonly entry: ProviderEntry;
  /** The provider of that name that the environment turns on. */
  readonly known: ProviderConfig | undefined;
  readonly file: ReadConfigFile;
}

function readProvider({ name, family, entry, known, file }: NamedEntry): ProviderConfig {
  const [firstKey, ...furtherApiKeys] = entry.api_keys ?? [];
  const provider: ProviderConfig = {
    name,
    family,
    apiKey: entry.api_key ?? firstKey ?? known?.apiKey ?? null,
    ...(furtherApiKeys.length === 0 ? {} : { furtherApiKeys }),
    baseUrl: entry.base_url ?? known?.baseUrl ?? null,
    ...(entry.headers === undefined ? {} : { headers: entry.headers }),
    ...(entry.host === undefined ? {} : { hostSettings: entry.host }),
    ...(entry.timeout_seconds === undefined ? {} : { timeoutSeconds: entry.timeout_seconds }),
    ...(entry.discover === true ? { discovers: true } : {}),
    because: file.name,
  };
  const lacks = provider.hostSettings === undefined ? missingOf(provider) : null;
  if (lacks !== null) throw file.faultAt(["providers", name], `lacks ${lacks}.`);
  if (provider.discovers && (family.modelList === null || provider.hostSettings !== undefined)) {
    const of = provider.hostSettings === undefined ? `type ${family.type}` : "a host";
    throw file.faultAt(["providers", name, "discover"], `is true; remove it, since providers of ${of} list no models.`);
  }
  const fault = findFault(entry);
  if (fault !== undefined) throw file.faultAt(["providers", name, ...fault.path], `${fault.message}.`);
  return provider;
}

/** The first fault of an entry that the schema can't express. */
function findFault({ base_url, api_key, api_keys = [], headers = {} }: ProviderEntry) {
  const hasBoth = api_key !== undefined && api_keys.length > 0;
  const faults = [
    { path: ["base_url"], message: base_url === undefined ? null : faultOfBaseUrl(base_url) },
    { path: ["api_key"], message: api_key === undefined ? null : faultOfApiKey(api_key) },
    { path: ["api_keys"], message: hasBoth ? "is set together with api_key; set only one of them" : null },
    ...api_keys.map((key, at) => ({ path: ["api_keys", at], message: faultOfApiKey(key) })),
    ...Object.entries(headers).map(([name, value]) => ({
      path: ["headers", name],
      message: faultOfHeader(name, value),
    })),
  ];
  return faults.find(({ message }) => message !== null);
}

/** The name, in the file, of what a provider lacks; null if it lacks nothing. */
function missingOf(provider: ProviderConfig): "api_key" | "base_url" | null {
  const { requires } = provider.family;
  if (requires === null || provider[requires] !== null) return null;
  return requires === "apiKey" ? "api_key" : "base_url";
}
