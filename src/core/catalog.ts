// The catalog: which models there are and what each can do. @spec endpoints/model-settings
import type { Setting } from "../contract/settings.ts";
import { type Prices, type PriceSnapshot, type PriceTier, snapshotPrices } from "./accounts/prices.ts";

export type { Prices, PriceTier } from "./accounts/prices.ts";

/** Matches the whole id of a model, `<provider>/<model>`. */
export const MODEL_ID_PATTERN = "^[^/\\s]+/\\S+$";

export interface CatalogModel {
  /** `<provider>/<model>`. */
  readonly id: string;
  /** Name of the configured provider that serves it. */
  readonly provider: string;
  /** The provider's own name for it. */
  readonly upstreamModel: string;
  /** What the model accepts (a group's settings, or an explicit list). */
  readonly settings: ReadonlySet<Setting>;
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  /** Output that the fit check reserves, and that is asked for, when no turn set max_output_tokens. */
  readonly defaultOutputTokens: number;
  /** `none`, a token budget, or an effort. With a budget, temperature and top_p are refused. */
  readonly thinking: "none" | { readonly budgetTokens: number } | { readonly effort: string };
  /** Whether the provider accepts a tool_choice that forces a call. */
  readonly forcedToolChoice: boolean;
  /** Whether the provider has a per-end-user field. */
  readonly hasEndUserField: boolean;
  /** USD per million tokens, as they were written. */
  readonly prices: Prices;
  /** What holds instead for long inputs, by rising threshold; the last that is passed counts. */
  readonly tiers?: readonly PriceTier[];
  readonly ownedBy: string;
  /** Unix seconds. */
  readonly created: number;
}

/** What a model's turns are charged by. */
export interface Pricing {
  readonly snapshot: PriceSnapshot;
  /** The snapshot as it is stored with each turn. */
  readonly text: string;
}

export interface Catalog {
  /** In the order of the catalog. */
  readonly models: readonly CatalogModel[];
  /** Finds a model by its id or its bare form (the part behind the first slash); of equal bare forms the first listed. */
  find(name: string): CatalogModel | undefined;
  /** What a model of the catalog costs, in nano-credits; null: it is free. */
  pricingOf(modelId: string): Pricing | null;
}

/** What a credit is worth when nobody says otherwise, USD. */
export const USD_PER_CREDIT = 0.01;

/** Builds the catalog of a list of models. Throws a RangeError that names a price which is too high to be charged. */
export function createCatalog(models: readonly CatalogModel[], usdPerCredit = USD_PER_CREDIT): Catalog {
  const byName = new Map<string, CatalogModel>();
  const pricings = new Map<string, Pricing>();
  for (const model of models) {
    const bare = model.id.slice(model.id.indexOf("/") + 1);
    if (!byName.has(bare)) byName.set(bare, model);
    const pricing = priceModel(model, usdPerCredit);
    if (pricing !== null) pricings.set(model.id, pricing);
  }
  // Whole ids last: a bare form never hides one.
  for (const model of models) byName.set(model.id, model);
  return { models, find: (name) => byName.get(name), pricingOf: (modelId) => pricings.get(modelId) ?? null };
}

function priceModel(model: CatalogModel, usdPerCredit: number): Pricing | null {
  const snapshot = snapshotOf(model, usdPerCredit);
  return snapshot === null ? null : { snapshot, text: JSON.stringify(snapshot) };
}

function snapshotOf(model: CatalogModel, usdPerCredit: number): PriceSnapshot | null {
  try {
    return snapshotPrices(model, usdPerCredit);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new RangeError(`The price of ${model.id} is too high: ${error.message}.`, { cause: error });
  }
}
