// The served catalog: the built-in models of the configured providers, and the models of turngate.yaml.
import { type Catalog, type CatalogModel, createCatalog } from "../core/models/catalog.ts";
import { isWildcard } from "../core/models/wildcards.ts";
import { resolveAliases } from "./aliases.ts";
import { listBuiltIn } from "./built-in-models.ts";
import type { Config } from "./config.ts";
import { OperatorError } from "../../packages/kit/operator-error.ts";
import { type Discovered, discoveredModels, NOTHING_DISCOVERED } from "./discovered-models.ts";
import { rejectOwnAddress } from "./own-address.ts";
import type { ProviderFamily } from "../providers/family.ts";
import { listedNames, nameModel } from "./wildcard-entry.ts";

/**
 * Builds the catalog. A model of the file takes the place of the built-in model with its id, or is added after them. What servers
 * list stands last: it takes no id, alias or bare form from what is configured. Throws an OperatorError for a price that is too high
 * to be charged, a wrong alias, and a provider at the service's own address.
 */
export async function buildCatalog(
  config: Pick<Config, "file" | "families" | "models" | "hasBuiltInModels" | "aliases" | "usdPerCredit" | "prices"> &
    Parameters<typeof rejectOwnAddress>[0],
  discovered: Discovered = NOTHING_DISCOVERED,
): Promise<Catalog> {
  rejectOwnAddress(config);
  const models = new Map<string, CatalogModel>();
  for (const model of config.hasBuiltInModels
    ? await listBuiltIn(config.families, config.providers, config.prices)
    : [])
    models.set(model.id, model);
  const listed = listDiscovered([...models.values()], discovered, config);
  for (const model of config.models) models.set(model.id, model);
  try {
    const own = new Set(models.keys());
    addNamed(models, config);
    for (const model of listed) if (!own.has(model.id)) models.set(model.id, model);
    const aliases = resolveAliases(config.aliases, [...models.values()], config.file);
    const families = new Map(config.providers.map(({ name, family }) => [name, family]));
    return createCatalog(
      models
        .values()
        .map((model) => {
          const names = aliases.get(model.id);
          const sent = { ...withThinkingSent(model, families), ...(names === undefined ? {} : { aliases: names }) };
          const { targets } = model;
          return targets === undefined
            ? sent
            : { ...sent, targets: targets.map((target) => withThinkingSent(target, families)) };
        })
        .toArray(),
      config.usdPerCredit,
      (wildcard, named) => withThinkingSent(nameModel(wildcard, named, config), families),
    );
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new OperatorError(error.message, { cause: error });
  }
}

/**
 * What servers list and has no built-in entry, and the names at their providers that aliases stand for: they may not be listed yet.
 */
function listDiscovered(
  builtIn: readonly CatalogModel[],
  discovered: Discovered,
  { providers, aliases, prices }: Pick<Config, "aliases" | "prices" | "providers">,
): readonly CatalogModel[] {
  const served = new Set(builtIn.map(({ provider, upstreamModel }) => `${provider} ${upstreamModel}`));
  const discovering = providers.filter(({ discovers }) => discovers);
  const models = discovering.flatMap((provider) => {
    const begin = `${provider.name}/`;
    const aliased = Object.values(aliases).filter((id) => id.startsWith(begin));
    const unlisted = aliased.map((id) => ({
      name: id.slice(begin.length),
      contextWindow: null,
      maxOutputTokens: null,
    }));
    return discoveredModels(provider, [...unlisted, ...(discovered.get(provider.name) ?? [])], prices);
  });
  return models.filter(
    ({ id, provider, upstreamModel }) => !served.has(`${provider} ${upstreamModel}`) && !Object.hasOwn(aliases, id),
  );
}

/** Adds what wildcards take by names that are known: those of the price list and those that aliases stand for. */
function addNamed(
  models: Map<string, CatalogModel>,
  config: Pick<Config, "aliases" | "prices" | "providers" | "usdPerCredit">,
): void {
  const wildcards = [...models.values()].filter(isWildcard);
  if (wildcards.length === 0) return;
  const { find } = createCatalog(wildcards, config.usdPerCredit, (wildcard, named) =>
    nameModel(wildcard, named, config),
  );
  const names = [...wildcards.flatMap((wildcard) => listedNames(wildcard, config)), ...Object.values(config.aliases)];
  for (const name of names) {
    const model = models.has(name) ? undefined : find(name);
    if (model === undefined || isWildcard(model)) continue;
    const { namedBy: _, ...listed } = model;
    models.set(name, listed);
  }
}

/** The model with its thinking as its wire carries it, which decides on the settings it takes. @spec endpoints/model-settings */
function withThinkingSent<Model extends CatalogModel>(
  model: Model,
  families: ReadonlyMap<string, ProviderFamily>,
): Model {
  const family = families.get(model.provider);
  return family?.thinkingSent === undefined ? model : { ...model, thinking: family.thinkingSent(model) };
}
