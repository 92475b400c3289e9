// The models of providers with `discover: true`: what their servers list becomes models of the catalog.
import type { CatalogModel } from "../core/models/catalog.ts";
import { isFree } from "../core/money/prices.ts";
import { isModelName } from "../core/models/wildcards.ts";
import { OperatorError } from "../../packages/kit/operator-error.ts";
import type { ServerModel } from "../providers/list-models.ts";
import { readModelEntry } from "./model-entry.ts";
import { listedModel, type PriceList } from "./price-list.ts";
import type { ProviderConfig } from "./provider-config.ts";
import { isPaid } from "./public-address.ts";

/** What the servers list, by the names of their providers. */
export type Discovered = ReadonlyMap<string, readonly ServerModel[]>;

export const NOTHING_DISCOVERED: Discovered = new Map();

/** A smaller window is a mistake of the server's; turngate.yaml takes none either. */
const WINDOW_MIN = 2_500;
/** Models without prices that a warning names. */
const NAMED_MAX = 5;

/** The models that a server lists, but for names that no client may send. Sizes are the price list's, else the server's. */
export function discoveredModels(
  provider: ProviderConfig,
  listed: readonly ServerModel[],
  prices: PriceList,
): readonly CatalogModel[] {
  const { name, family } = provider;
  return listed
    .filter((model) => isModelName(model.name, family.modelOwner === null))
    .map((model) => {
      const entry = { id: `${name}/${model.name}` };
      const known = listedModel(prices, provider, { ...entry, upstreamModel: model.name });
      const inherited = known ?? sizesOf(model);
      const faultAt = (_: unknown, predicate: string) => new OperatorError(`${entry.id}: ${predicate}`);
      return { ...readModelEntry(name, { entry, family, inherited, faultAt }), isDiscovered: true };
    });
}

function sizesOf({ contextWindow, maxOutputTokens }: ServerModel): Partial<CatalogModel> {
  return {
    ...(contextWindow === null || contextWindow < WINDOW_MIN ? {} : { contextWindow }),
    ...(maxOutputTokens === null || maxOutputTokens < 1 ? {} : { maxOutputTokens }),
  };
}

/** A warning for each provider that bills and has discovered models without prices. */
export function listUnpricedDiscovered(
  models: readonly Pick<CatalogModel, "id" | "provider" | "isDiscovered" | "prices" | "tiers">[],
  providers: readonly ProviderConfig[],
): readonly string[] {
  return providers.filter(isPaid).flatMap(({ name }) => {
    const free = models.filter((model) => model.provider === name && model.isDiscovered && isFree(model));
    if (free.length === 0) return [];
    const named = free.slice(0, NAMED_MAX).map(({ id }) => id);
    const more = free.length > named.length ? ` and ${free.length - named.length} more` : "";
    return [
      `the provider "${name}" lists models that have no prices, so their turns are charged nothing: ${named.join(", ")}${more}. List them in a price file (turngate models update), or under models.`,
    ];
  });
}
