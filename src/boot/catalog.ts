// The catalog that is served: the built-in models of the providers that are on, and those of turngate.yaml.
import { type Catalog, type CatalogModel, createCatalog } from "../core/catalog.ts";
import type { Config } from "./config.ts";
import { OperatorError } from "./operator-error.ts";
import type { ProviderType } from "../providers/registry.ts";

/**
 * Builds the catalog: an entry of the file stands where the built-in model of its id stood, or at the end. Throws an OperatorError for
 * a price that is too high to be charged.
 */
export async function buildCatalog(
  config: Pick<Config, "providers" | "models" | "hasBuiltInModels" | "usdPerCredit">,
): Promise<Catalog> {
  const models = new Map<string, CatalogModel>();
  for (const model of config.hasBuiltInModels ? await listBuiltIn(config) : []) models.set(model.id, model);
  for (const model of config.models) models.set(model.id, model);
  try {
    return createCatalog([...models.values()], config.usdPerCredit);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new OperatorError(error.message, { cause: error });
  }
}

/** The built-in models of each type of provider, in the order of the catalog; loaded when one of that type is on. */
const BUILT_IN: readonly (readonly [ProviderType, () => Promise<readonly CatalogModel[]>])[] = [
  ["anthropic", async () => (await import("../providers/anthropic/models.ts")).ANTHROPIC_MODELS],
  ["gemini", async () => (await import("../providers/gemini/models.ts")).GEMINI_MODELS],
  ["openai", async () => (await import("../providers/openai/models.ts")).OPENAI_MODELS],
  ["simulated", async () => (await import("../providers/simulated/models.ts")).SIMULATED_MODELS],
];

/** The models of the first provider of each type. */
async function listBuiltIn({ providers }: Pick<Config, "providers">): Promise<readonly CatalogModel[]> {
  const lists = BUILT_IN.map(async ([type, load]) => {
    const provider = providers.find((candidate) => candidate.type === type);
    return provider === undefined ? [] : (await load()).map((model) => ({ ...model, provider: provider.name }));
  });
  return (await Promise.all(lists)).flat();
}
