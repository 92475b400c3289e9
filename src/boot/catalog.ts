// The catalog that is served: the built-in models of the providers that are on, and those of turngate.yaml.
import { type Catalog, type CatalogModel, createCatalog } from "../core/catalog.ts";
import type { Config } from "./config.ts";

/** Builds the catalog: an entry of the file stands where the built-in model of its id stood, or at the end. */
export async function buildCatalog(
  config: Pick<Config, "providers" | "models" | "hasBuiltInModels">,
): Promise<Catalog> {
  const models = new Map<string, CatalogModel>();
  for (const model of config.hasBuiltInModels ? await listBuiltIn(config) : []) models.set(model.id, model);
  for (const model of config.models) models.set(model.id, model);
  return createCatalog([...models.values()]);
}

/** The models of the first simulated provider. */
async function listBuiltIn({ providers }: Pick<Config, "providers">): Promise<readonly CatalogModel[]> {
  const simulated = providers.find((provider) => provider.type === "simulated");
  if (simulated === undefined) return [];
  const { SIMULATED_MODELS } = await import("../providers/simulated/models.ts");
  return SIMULATED_MODELS.map((model) => ({ ...model, provider: simulated.name }));
}
