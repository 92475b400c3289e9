// The targets of an entry of `models` in turngate.yaml. docs/configuration.md (Fallbacks)
import { type CatalogModel, type RetryCondition, SAFE_CONDITIONS, type TargetModel } from "../core/models/catalog.ts";
import type { OperatorError } from "../../packages/kit/operator-error.ts";
import type { Path } from "../../packages/kit/yaml-file.ts";
import type { BuiltInModel, BuiltInModels } from "./built-in-models.ts";
import { TARGET_DEFAULTS } from "./model-defaults.ts";
import { inherit, inheritListed, prefixOf, readModelEntry } from "./model-entry.ts";
import type { ModelEntry, TargetEntry } from "./model-schema.ts";
import { hasMakersNames, listedModel, type PriceList } from "./price-list.ts";
import type { ProviderConfig } from "./provider-config.ts";

/** An entry with targets. */
interface TargetsContext {
  readonly entry: Omit<ModelEntry, "targets">;
  readonly targets: readonly TargetEntry[];
  readonly providers: readonly ProviderConfig[];
  readonly builtIn: BuiltInModels;
  readonly prices: PriceList;
  /** An error about a field of the entry; its name begins the message. */
  faultAt(path: Path, predicate: string): OperatorError;
}

/**
 * The model of an entry with targets. Throws an OperatorError for a provider or an upstream model beside them, a target
 * of an unknown provider, one that is listed twice, an order in which all weights are 0, and what its provider can't
 * take.
 */
export function readTargets(context: TargetsContext): CatalogModel {
  const { entry, targets, faultAt } = context;
  for (const field of ["provider", "upstream_model"] as const) {
    if (entry[field] !== undefined) throw faultAt([field], "is set beside targets; name it in each of them.");
  }
  const read = targets.map((target, at) => readTarget(context, target, at));
  for (const [at, { target }] of read.entries()) {
    if (read.findIndex((one) => one.target === target) === at) continue;
    throw faultAt(["targets", at], `is ${target}, which is already in the list.`);
  }
  for (const [at, { order }] of read.entries()) {
    if (read.some((target) => target.order === order && target.weight > 0)) continue;
    throw faultAt(["targets", at], `has order ${order}, in which all weights are 0: give one of them a weight.`);
  }
  // What clients see is the same wherever a turn runs.
  const maxOutputTokens = Math.min(...read.map((target) => target.maxOutputTokens));
  const defaultOutputTokens = Math.min(maxOutputTokens, ...read.map((target) => target.defaultOutputTokens));
  const served = read.map((target): TargetModel => ({ ...target, maxOutputTokens, defaultOutputTokens }));
  const { target: _, order: _order, weight: _weight, ...first } = served[0] as TargetModel;
  return {
    ...first,
    settings: served.reduce((all, { settings }) => all.union(settings), first.settings),
    contextWindow: Math.max(...served.map(({ contextWindow }) => contextWindow)),
    forcedToolChoice: served.some(({ forcedToolChoice }) => forcedToolChoice),
    targets: served,
    retry: readRetry(entry),
  };
}

function readTarget(
  { entry, providers, builtIn, prices, faultAt }: TargetsContext,
  target: TargetEntry,
  at: number,
): TargetModel {
  const provider = providers.find(({ name }) => name === target.provider);
  if (provider === undefined) {
    const names = providers.map(({ name }) => name).join(", ");
    throw faultAt(
      ["targets", at, "provider"],
      `names the provider "${target.provider}", which is not configured; allowed: ${names}.`,
    );
  }
  const { order = TARGET_DEFAULTS.order, weight = TARGET_DEFAULTS.weight, ...traits } = target;
  const known = findBuiltIn(builtIn, provider, target.upstream_model);
  const name = `${provider.name}/${target.upstream_model}`;
  const own = { ...entry, ...traits, owned_by: entry.owned_by ?? prefixOf(entry.id) };
  const {
    ownedBy: _,
    created: _created,
    ...inherited
  } = known === undefined
    ? inheritListed(own, listedModel(prices, provider, { id: name, upstreamModel: target.upstream_model }))
    : inherit(known, provider);
  const model = readModelEntry(provider.name, {
    entry: own,
    family: provider.family,
    inherited,
    faultAt: (path, predicate) => {
      const isOfTarget = Object.hasOwn(target, String(path[0]));
      return faultAt(isOfTarget ? ["targets", at, ...path] : path, predicate);
    },
  });
  return { ...model, target: name, order, weight };
}

function findBuiltIn(
  builtIn: BuiltInModels,
  provider: ProviderConfig,
  upstreamModel: string,
): BuiltInModel | undefined {
  if (!hasMakersNames(provider)) return undefined;
  return builtIn
    .values()
    .find(({ family, model }) => family === provider.family && model.upstreamModel === upstreamModel);
}

/** The most output tokens that a target is known to take; undefined: that is not known. */
export function knownOutputTokens(
  { builtIn, prices }: Pick<TargetsContext, "builtIn" | "prices">,
  provider: ProviderConfig,
  upstreamModel: string,
): number | undefined {
  const listed = () => listedModel(prices, provider, { id: `${provider.name}/${upstreamModel}`, upstreamModel });
  return (findBuiltIn(builtIn, provider, upstreamModel)?.model ?? listed())?.maxOutputTokens;
}

function readRetry({ retry }: Pick<ModelEntry, "retry">): ReadonlySet<RetryCondition> {
  return new Set<RetryCondition>([...(retry?.on ?? SAFE_CONDITIONS), ...(retry?.also ?? [])]);
}
