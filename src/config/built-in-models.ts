// The models that Turngate knows by itself, family by family.
import type { CatalogModel } from "../core/models/catalog.ts";
import type { ProviderFamily } from "../providers/family.ts";
import { type PriceList, withListed } from "./price-list.ts";
import { type ProviderConfig, providerAtMaker } from "./provider-config.ts";

/** The models of the first provider of each family that is at their maker, in the families' order. */
export async function listBuiltIn(
  families: readonly ProviderFamily[],
  providers: readonly Pick<ProviderConfig, "name" | "family" | "hostSettings">[],
  prices: PriceList,
): Promise<readonly CatalogModel[]> {
  const lists = families.map(async (family) => {
    const provider = providerAtMaker(family, providers);
    if (provider === undefined) return [];
    return (await loadModels(family, prices)).map((model) => ({ ...model, provider: provider.name }));
  });
  return (await Promise.all(lists)).flat();
}

/** A built-in model with the family it belongs to. */
export interface BuiltInModel {
  readonly family: ProviderFamily;
  readonly model: CatalogModel;
}

/** Every built-in model by its id. */
export type BuiltInModels = ReadonlyMap<string, BuiltInModel>;

/** Loads every built-in model, including those of families that are off. */
export async function loadBuiltIn(families: readonly ProviderFamily[], prices: PriceList): Promise<BuiltInModels> {
  const lists = families.map(async (family) =>
    (await loadModels(family, prices)).map((model) => [model.id, { family, model }] as const),
  );
  return new Map((await Promise.all(lists)).flat());
}

async function loadModels(family: ProviderFamily, prices: PriceList): Promise<readonly CatalogModel[]> {
  return ((await family.loadModels?.()) ?? []).map((model) => withListed(model, prices));
}
