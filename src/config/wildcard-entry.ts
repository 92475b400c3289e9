// Entries of `models` whose id ends in `*`, and the models of names in its place. docs/configuration.md
import type { CatalogModel } from "../core/models/catalog.ts";
import type { OperatorError } from "../../packages/kit/operator-error.ts";
import type { Path } from "../../packages/kit/yaml-file.ts";
import { readModelEntry } from "./model-entry.ts";
import type { ModelEntry } from "./model-schema.ts";
import { hasListPrices, listedModel, type PriceList } from "./price-list.ts";
import type { ProviderConfig } from "./provider-config.ts";

interface WildcardContext {
  readonly entry: ModelEntry;
  readonly provider: ProviderConfig;
  faultAt(path: Path, predicate: string): OperatorError;
}

/** The wildcard of an entry. Throws an OperatorError for a star that does not end the id and the upstream name. */
export function readWildcard({ entry, provider, faultAt }: WildcardContext): CatalogModel {
  for (const field of ["id", "upstream_model"] as const) {
    const name = entry[field];
    if (name === undefined || /^[^*]*\*$/.test(name)) continue;
    throw faultAt([field], `is "${name}"; allowed in a wildcard: one *, at the end.`);
  }
  const { prices, context_window, max_output_tokens } = entry;
  return {
    ...readModelEntry(provider.name, { entry, family: provider.family, inherited: {}, faultAt }),
    wildcard: {
      listsPrices: prices === undefined,
      listsSizes: context_window === undefined && max_output_tokens === undefined,
      takesSlash: provider.family.modelOwner === null,
    },
  };
}

/** The model of a name in place of a wildcard's star: with what the entry leaves to the price list. */
export function nameModel(
  wildcard: CatalogModel,
  named: Pick<CatalogModel, "id" | "upstreamModel">,
  { prices, providers }: { readonly prices: PriceList; readonly providers: readonly ProviderConfig[] },
): CatalogModel {
  const { wildcard: leaves, ...template } = wildcard;
  const provider = providers.find(({ name }) => name === wildcard.provider);
  const listed = provider === undefined ? undefined : listedModel(prices, provider, named);
  const model = { ...template, ...named, namedBy: wildcard.id };
  if (listed === undefined) return model;
  const { contextWindow, maxOutputTokens, ...priced } = listed;
  const sizes = {
    contextWindow,
    maxOutputTokens,
    defaultOutputTokens: Math.min(model.defaultOutputTokens, maxOutputTokens),
  };
  return { ...model, ...(leaves?.listsPrices ? priced : {}), ...(leaves?.listsSizes ? sizes : {}) };
}

/** The ids of the price list's models that a wildcard takes. */
export function listedNames(
  { id, upstreamModel, provider: of }: CatalogModel,
  { prices, providers }: { readonly prices: PriceList; readonly providers: readonly ProviderConfig[] },
): readonly string[] {
  const provider = providers.find(({ name }) => name === of);
  const owner = provider?.family.modelOwner;
  // The price list does not know which models other servers have.
  if (provider === undefined || owner === undefined || !hasListPrices(provider)) return [];
  // Where a provider has models of many owners, the list has them by their ids here.
  const begin = owner === null ? id.slice(0, -1) : `${owner}/${upstreamModel.slice(0, -1)}`;
  return [...prices.models.keys()]
    .filter((listed) => listed.startsWith(begin))
    .map((listed) => id.slice(0, -1) + listed.slice(begin.length));
}
