// The entries of `models` in turngate.yaml, read in order.
import type { CatalogModel } from "../core/models/catalog.ts";
import type { BuiltInModels } from "./built-in-models.ts";
import type { ReadConfigFile } from "./config-file.ts";
import { inherit, inheritListed, prefixOf, readModelEntry } from "./model-entry.ts";
import { listedModel, type PriceList } from "./price-list.ts";
import { type ProviderConfig, providerAtMaker } from "./provider-config.ts";
import { readWildcard } from "./wildcard-entry.ts";
import { readTargets } from "./target-entries.ts";
import type { Path } from "../../packages/kit/yaml-file.ts";

/**
 * Reads the entries in order. One with the id of a built-in model inherits what it does not name. Throws an OperatorError for an unknown
 * provider, a repeated id, settings or numbers that the provider can't take, and wrong targets.
 */
export function readModelEntries(
  file: ReadConfigFile,
  providers: readonly ProviderConfig[],
  { builtIn, prices }: { readonly builtIn: BuiltInModels; readonly prices: PriceList },
): readonly CatalogModel[] {
  const ids = new Set<string>();
  return (file.config.models ?? []).map((entry, index) => {
    const faultAt = (path: Path, predicate: string) => file.faultAt(["models", index, ...path], predicate);
    if (ids.has(entry.id)) throw faultAt(["id"], `is "${entry.id}", which is already in the list.`);
    ids.add(entry.id);
    const { targets, ...common } = entry;
    if (targets !== undefined && entry.id.includes("*"))
      throw faultAt(["targets"], "is set for a wildcard, which has none: its names are those of one provider.");
    if (targets !== undefined) return readTargets({ entry: common, targets, providers, builtIn, prices, faultAt });
    if (entry.retry !== undefined) throw faultAt(["retry"], "is set without targets, which it is for.");
    const known = builtIn.get(entry.id);
    const family = entry.provider === undefined ? known?.family : undefined;
    const name = entry.provider ?? prefixOf(entry.id);
    const provider =
      family === undefined ? providers.find((one) => one.name === name) : providerAtMaker(family, providers);
    if (provider === undefined) {
      const names = providers.map((one) => one.name).join(", ");
      throw faultAt(
        [entry.provider === undefined ? "id" : "provider"],
        `names the provider "${family?.type ?? name}", which is not configured; allowed: ${names}.`,
      );
    }
    const upstreamModel = entry.upstream_model ?? entry.id.slice(entry.id.indexOf("/") + 1);
    if (entry.id.includes("*")) return readWildcard({ entry, provider, faultAt });
    const inherited =
      known === undefined
        ? inheritListed(entry, listedModel(prices, provider, { id: entry.id, upstreamModel }))
        : inherit(known, provider);
    return readModelEntry(provider.name, { entry, family: provider.family, inherited, faultAt });
  });
}
