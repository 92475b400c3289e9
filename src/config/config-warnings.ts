// Settings of turngate.yaml that are valid but rarely intended.
import { type CatalogModel, providersOf } from "../core/models/catalog.ts";
import { isWildcard } from "../core/models/wildcards.ts";
import { isFree } from "../core/money/prices.ts";
import type { BuiltInModels } from "./built-in-models.ts";
import type { ReadConfigFile } from "./config-file.ts";
import type { ModelEntry } from "./model-schema.ts";
import { knownOutputTokens } from "./target-entries.ts";
import { type ProviderConfig, providerAtMaker } from "./provider-config.ts";
import { hasListPrices, type PriceList } from "./price-list.ts";
import { isPaid } from "./public-address.ts";
import type { Path } from "../../packages/kit/yaml-file.ts";
import { isSafe } from "../../packages/kit/addresses.ts";

/** The configuration that the warnings are about. */
export interface Configured {
  readonly providers: readonly ProviderConfig[];
  /** The file's models, in the order of their entries. */
  readonly models: readonly CatalogModel[];
  readonly builtIn: BuiltInModels;
  readonly prices: PriceList;
  readonly manageUrl: string | null;
}

/** The warnings of a file, a sentence each, with its line. */
export function listWarnings(file: ReadConfigFile, configured: Configured): readonly string[] {
  return [
    ...listUnpriced(file, configured),
    ...listTooLong(file, configured),
    ...listIdle(file, configured),
    ...listWithoutAddress(file, configured),
    ...listPlainContent(file),
    ...listTrusting(file),
  ];
}

function listTrusting(file: ReadConfigFile): readonly string[] {
  return (file.config.server?.trusted_proxies ?? []).flatMap((text, index) => {
    if (!text.endsWith("/0")) return [];
    const message = `server.trusted_proxies has ${text}: every client may then name any address as its own.`;
    return [file.errorAt(["server", "trusted_proxies", index], message).message];
  });
}

/** Inside a cluster that may be intended. */
function listPlainContent(file: ReadConfigFile): readonly string[] {
  const given = file.config.content_export;
  if (given === undefined || isSafe(new URL(given.url))) return [];
  const message = "content_export.url is an http:// address: what turns say leaves this machine unencrypted.";
  return [file.errorAt(["content_export", "url"], message).message];
}

/** The provider sends browsers back to a registered address only. */
function listWithoutAddress(file: ReadConfigFile, { manageUrl }: Configured): readonly string[] {
  if (file.config.single_sign_on === undefined || manageUrl !== null) return [];
  const message =
    "single_sign_on without server.manage_url: people are sent back to the address in their browser. Set the one that is registered at the provider.";
  return [file.errorAt(["single_sign_on"], message).message];
}

function listUnpriced(file: ReadConfigFile, { providers, models }: Configured): readonly string[] {
  const paid = new Set(providers.filter(isPaid).map(({ name }) => name));
  return (file.config.models ?? []).flatMap((entry, index) => {
    const model = models[index];
    if (model === undefined || isPriced(entry)) return [];
    const served: readonly CatalogModel[] = model.targets ?? [model];
    return served.flatMap((one, at) => {
      const target = entry.targets?.[at];
      if (!paid.has(one.provider) || !isFree(one) || (target !== undefined && isPriced(target))) return [];
      const [path, what]: [Path, string] =
        target === undefined
          ? [[], `models[${index}], ${entry.id}`]
          : [["targets", at], `models[${index}].targets[${at}], ${one.target}`];
      const provider = providers.find(({ name }) => name === one.provider);
      const message =
        isWildcard(one) && provider !== undefined && hasListPrices(provider)
          ? `${what}, has no prices of its own: a name that the price list lacks is charged nothing. Set prices, 0 if that is intended.`
          : `${what}, has no prices, so its turns are charged nothing. Set prices, 0 if that is intended.`;
      return [file.errorAt(["models", index, ...path], message).message];
    });
  });
}

/** Models whose turns may ask a target for more output than it is known to give. */
function listTooLong(file: ReadConfigFile, { providers, ...known }: Configured): readonly string[] {
  return (file.config.models ?? []).flatMap(({ id, max_output_tokens: most, targets = [] }, index) =>
    targets.flatMap(({ provider: name, upstream_model: upstream }, at) => {
      const provider = providers.find((one) => one.name === name);
      const tokens = provider === undefined ? undefined : knownOutputTokens(known, provider, upstream);
      if (most === undefined || tokens === undefined || most <= tokens) return [];
      const message = `models[${index}].max_output_tokens, ${id}, is ${most}, but ${name}/${upstream} gives ${tokens} at most: a turn that asks for more may fail there.`;
      return [file.errorAt(["models", index, "targets", at], message).message];
    }),
  );
}

function isPriced({ prices }: Pick<ModelEntry, "prices">): boolean {
  return prices === 0 || prices?.input !== undefined || prices?.output !== undefined;
}

function listIdle(file: ReadConfigFile, { providers, models, builtIn }: Configured): readonly string[] {
  const withBuiltIn = file.config.catalog === "none" ? [] : [...builtIn.values()].map(({ family }) => family);
  const serving = new Set([
    ...models.flatMap(providersOf),
    ...withBuiltIn.map((family) => providerAtMaker(family, providers)?.name),
  ]);
  return providers
    .filter(({ name, discovers }) => !serving.has(name) && !discovers)
    .map(({ name, because }) => {
      const message = `the provider "${name}" serves no model; list its models under models.`;
      const isOfFile = Object.hasOwn(file.config.providers ?? {}, name);
      return isOfFile ? file.errorAt(["providers", name], message).message : `${because}: ${message}`;
    });
}
