// The catalog: which models there are and what each can do. @spec endpoints/model-settings
import type { Setting } from "../contract/settings.ts";

/** USD per million tokens, as integers of nano-USD a token would be lossy: kept as decimals, turned to BigInt at the ledger. */
export interface Prices {
  readonly input: number;
  readonly cached_input: number;
  readonly cache_write: number;
  readonly output: number;
}

/** Prices of a request whose input is longer than the threshold: they hold for all of its tokens. */
export interface PriceTier {
  readonly aboveInputTokens: number;
  readonly prices: Prices;
}

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
  readonly prices: Prices;
  /** What holds instead for long inputs, by rising threshold; the last that is passed counts. */
  readonly tiers?: readonly PriceTier[];
  readonly ownedBy: string;
  /** Unix seconds. */
  readonly created: number;
}

export interface Catalog {
  /** In the order of the catalog. */
  readonly models: readonly CatalogModel[];
  /** Finds a model by its id or its bare form (the part behind the first slash); of equal bare forms the first listed. */
  find(name: string): CatalogModel | undefined;
}

/** Builds the catalog of a list of models. */
export function createCatalog(models: readonly CatalogModel[]): Catalog {
  const byName = new Map<string, CatalogModel>();
  for (const model of models) {
    const bare = model.id.slice(model.id.indexOf("/") + 1);
    if (!byName.has(bare)) byName.set(bare, model);
  }
  // Whole ids last: a bare form never hides one.
  for (const model of models) byName.set(model.id, model);
  return { models, find: (name) => byName.get(name) };
}
