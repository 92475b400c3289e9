// The catalog: the models that are served, and their capabilities. @spec endpoints/model-settings
import type { ReasoningEffort, Setting } from "../../contract/settings.ts";
import { type Prices, type PriceSnapshot, type PriceTier, snapshotPrices } from "../money/prices.ts";

/** The full id of a model, `<provider>/<model>`. */
export const MODEL_ID_PATTERN = "^[^/\\s]+/\\S+$";

/** The thinking effort requested from a model. */
export type ThinkingEffort = Exclude<ReasoningEffort, "none">;

export interface CatalogModel {
  /** `<provider>/<model>`. */
  readonly id: string;
  /** Name of the configured provider that serves it. */
  readonly provider: string;
  /** The provider's own name for it. */
  readonly upstreamModel: string;
  /** The settings that the model supports. */
  readonly settings: ReadonlySet<Setting>;
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  /** Output that is reserved and requested when no response set max_output_tokens. */
  readonly defaultOutputTokens: number;
  /**
   * Thinking as requested from the model: not at all, a token budget, or an effort. A budget excludes temperature and
   * top_p.
   */
  readonly thinking: "none" | { readonly budgetTokens: number } | { readonly effort: ThinkingEffort };
  /** Whether the provider accepts a tool_choice that forces a call. */
  readonly forcedToolChoice: boolean;
  /** Whether the provider has a per-end-user field. */
  readonly hasEndUserField: boolean;
  /** Whether a chat-completions server gets its reasoning back within a turn; absent: known from the upstream model. */
  readonly replaysReasoning?: boolean;
  /** USD per million tokens. */
  readonly prices: Prices;
  /** Prices for long inputs, by ascending threshold; the highest threshold that is exceeded applies. */
  readonly tiers?: readonly PriceTier[];
  readonly ownedBy: string;
  /** Unix seconds. */
  readonly created: number;
}

/** The prices that a model's responses are charged by. */
export interface Pricing {
  readonly snapshot: PriceSnapshot;
  /** The snapshot as stored with each response. */
  readonly text: string;
}

export interface Catalog {
  /** In catalog order. */
  readonly models: readonly CatalogModel[];
  /**
   * Finds a model by its id or its bare form (the part after the first slash); the first model wins among equal bare
   * forms.
   */
  find(name: string): CatalogModel | undefined;
  /** The prices of a model in nano-credits; null: it is free. */
  pricingOf(modelId: string): Pricing | null;
}

/** Default value of a credit, USD. */
export const USD_PER_CREDIT = 0.01;

/** Creates the catalog. Throws a RangeError naming the model whose price is too high to be charged. */
export function createCatalog(models: readonly CatalogModel[], usdPerCredit = USD_PER_CREDIT): Catalog {
  const byName = new Map<string, CatalogModel>();
  const pricings = new Map<string, Pricing>();
  for (const model of models) {
    const bare = model.id.slice(model.id.indexOf("/") + 1);
    if (!byName.has(bare)) byName.set(bare, model);
    const pricing = priceModel(model, usdPerCredit);
    if (pricing !== null) pricings.set(model.id, pricing);
  }
  // Full ids last, so that a bare form never hides one.
  for (const model of models) byName.set(model.id, model);
  return { models, find: (name) => byName.get(name), pricingOf: (modelId) => pricings.get(modelId) ?? null };
}

function priceModel(model: CatalogModel, usdPerCredit: number): Pricing | null {
  try {
    const snapshot = snapshotPrices(model, usdPerCredit);
    return snapshot === null ? null : { snapshot, text: JSON.stringify(snapshot) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new RangeError(`The price of ${model.id} is too high: ${error.message}.`, { cause: error });
  }
}
