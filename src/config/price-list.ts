// The price list: what is known of models that neither turngate.yaml nor a family describes. It is the file that comes
// with the program, and over it the one of `models update`. docs/money.md (The price list)
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CatalogModel } from "../core/models/catalog.ts";
import type { PriceTier, Prices } from "../core/money/prices.ts";
import { installation } from "../installation/installation.ts";
import type { ProviderEntry } from "../providers/registry.ts";
import { type DatabaseConfig, DEFAULT_DATABASE } from "./database-url.ts";
import type { PriceFile } from "./price-file.ts";
import { type ProviderConfig, providerAtMaker } from "./provider-config.ts";
import { isPublic } from "./public-address.ts";

/** Sizes and prices of a model. */
export type ListedModel = Pick<CatalogModel, "contextWindow" | "maxOutputTokens" | "prices" | "tiers">;

export interface PriceList {
  /** By their ids: `<owner>/<the owner's name of it>`. */
  readonly models: ReadonlyMap<string, ListedModel>;
  /** The day of the file that comes with the program. */
  readonly date: string;
  /** The file of `models update`, and its day; null: there is none. */
  readonly own: { readonly path: string; readonly date: string } | null;
}

/** The file of `models update`: beside an embedded database, else where an embedded one would be. */
export function priceFileOf({ engine, location }: DatabaseConfig): string {
  return join(dirname(engine === "sqlite" ? location : DEFAULT_DATABASE.location), "prices.json");
}

/** Reads the list. Rejects with an OperatorError that names the place of a fault in the file of `models update`. */
export async function readPriceList(database: DatabaseConfig): Promise<PriceList> {
  const path = priceFileOf(database);
  const shipped = JSON.parse(installation.root.readText("prices.json")) as PriceFile;
  // Loaded when there is such a file, as the reader of turngate.yaml is.
  const own = existsSync(path) ? (await import("./price-file.ts")).readPriceFile(path) : null;
  return joinPriceFiles(shipped, own === null ? null : { path, file: own });
}

/** The list of a file that comes with the program and of one that takes precedence, model by model. */
export function joinPriceFiles(
  shipped: PriceFile,
  own: { readonly path: string; readonly file: PriceFile } | null,
): PriceList {
  const models = [...shipped.models, ...(own?.file.models ?? [])];
  return {
    models: new Map(models.map((model) => [model.id, toListed(model)])),
    date: shipped.date,
    own: own === null ? null : { path: own.path, date: own.file.date },
  };
}

function toListed({ context_window, max_output_tokens, prices }: PriceFile["models"][number]): ListedModel {
  const { tiers = [], ...base } = prices;
  return {
    contextWindow: context_window,
    maxOutputTokens: max_output_tokens,
    prices: completePrices(base),
    ...(tiers.length === 0 ? {} : { tiers: tiers.map(toTier) }),
  };
}

/** The prices of a tier as turngate.yaml and price files have them. */
export function toTier({ above_input_tokens, ...prices }: Partial<Prices> & { above_input_tokens: number }): PriceTier {
  return { aboveInputTokens: above_input_tokens, prices: completePrices(prices) };
}

/** Prices with their defaults. */
export function completePrices({
  input = 0,
  cached_input = input,
  cache_write = input,
  output = 0,
}: Partial<Prices>): Prices {
  return { input, cached_input, cache_write, output };
}

/** The day of a snapshot at the end of a name, as the makers write it. */
const SNAPSHOT_DAY = /(?:-\d{4}-\d{2}-\d{2}|[-@]\d{8})$/;

/** What the list says of a model: its prices hold at its maker alone. */
export type ListedTraits = Pick<ListedModel, "contextWindow" | "maxOutputTokens"> &
  Partial<Pick<ListedModel, "prices" | "tiers">>;

type Place = Pick<ProviderEntry, "family" | "baseUrl" | "hostSettings">;

/** Whether the list's prices are those of a provider: not where a host, or a server in place of the family's maker, has its own. */
export function hasListPrices({ family, baseUrl, hostSettings }: Place): boolean {
  if (family.modelOwner === null) return true;
  return hostSettings === undefined && (baseUrl === null || new URL(baseUrl).host === family.makerHost);
}

/** Whether the models of a provider have the names that their maker gave them, as far as can be told. */
export function hasMakersNames({ family, hostSettings }: Pick<ProviderEntry, "family" | "hostSettings">): boolean {
  return hostSettings === undefined || family.hosts?.[hostSettings.type]?.hasOwnNames !== true;
}

/**
 * What the list has of a model at a provider: by the owner's name of it where the provider's type has one owner; by the id elsewhere, unless the provider is on a private address, where the same name costs nothing.
 * A dated snapshot that is not listed has what its name without the day has.
 */
export function listedModel(
  { models }: PriceList,
  place: Place,
  { id, upstreamModel }: Pick<CatalogModel, "id" | "upstreamModel">,
): ListedTraits | undefined {
  const { family, baseUrl } = place;
  if (!hasMakersNames(place)) return undefined;
  if (family.modelOwner === null && (baseUrl === null || !isPublic(new URL(baseUrl)))) return undefined;
  const name = family.modelOwner === null ? id : `${family.modelOwner}/${upstreamModel}`;
  const found = models.get(name) ?? models.get(name.replace(SNAPSHOT_DAY, ""));
  if (found === undefined || hasListPrices(place)) return found;
  const { contextWindow, maxOutputTokens } = found;
  return { contextWindow, maxOutputTokens };
}

/** A warning for each provider at a public address in place of its maker's, whose built-in models have the maker's prices. */
export function listBorrowedPrices(providers: readonly ProviderConfig[]): readonly string[] {
  return providers
    .filter((provider) => providerAtMaker(provider.family, providers) === provider)
    .filter((provider) => provider.baseUrl !== null && isPublic(new URL(provider.baseUrl)) && !hasListPrices(provider))
    .map(
      ({ name }) =>
        `the provider "${name}" is not at its maker's address, but its built-in models have the maker's prices. Set those of that address under models, or catalog: none.`,
    );
}

/** A built-in model with what the list has of it. */
export function withListed(model: CatalogModel, { models }: Pick<PriceList, "models">): CatalogModel {
  const listed = models.get(model.id);
  if (listed === undefined) return model;
  const { tiers: _, ...rest } = model;
  return { ...rest, ...listed, defaultOutputTokens: Math.min(model.defaultOutputTokens, listed.maxOutputTokens) };
}
