// The catalog: the models that are served, and their capabilities. @spec endpoints/model-settings
import type { ReasoningEffort, Setting } from "../../contract/settings.ts";
import { indexModels, type ModelNames } from "./model-names.ts";
import { createNaming, type Wildcard } from "./wildcards.ts";
import { type Prices, type PriceSnapshot, type PriceTier, snapshotPrices } from "../money/prices.ts";

/** The full id of a model, `<provider>/<model>`. */
export const MODEL_ID_PATTERN = "^[^/\\s]+/\\S+$";

/** The thinking effort requested from a model. */
export type ThinkingEffort = Exclude<ReasoningEffort, "none">;

export interface CatalogModel {
  /** `<provider>/<model>`. */
  readonly id: string;
  /** Its further names; absent: none. */
  readonly aliases?: readonly string[];
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
  /** Whether its provider is asked to cache prompts; absent: yes. */
  readonly cachesPrompts?: boolean;
  /** Whether its provider takes strict tools; absent: yes. If not, they are sent as plain ones. */
  readonly takesStrictTools?: boolean;
  /** USD per million tokens. */
  readonly prices: Prices;
  /** Prices for long inputs, by ascending threshold; the highest threshold that is exceeded applies. */
  readonly tiers?: readonly PriceTier[];
  readonly ownedBy: string;
  /** Unix seconds. */
  readonly created: number;
  /** Where its turns run; absent: at its provider alone. What else it says is then true of one of them at least. */
  readonly targets?: readonly TargetModel[];
  /** The failures after which a turn is tried at another target. */
  readonly retry?: ReadonlySet<RetryCondition>;
  /** Of an id that ends in `*`, which stands for any name: what its entry leaves to the price list, and its names. */
  readonly wildcard?: Wildcard;
  /** Of a model that its provider's server lists, and nothing else. */
  readonly isDiscovered?: boolean;
  /** Of a model that is not listed: the wildcard that took its name. */
  readonly namedBy?: string;
  /** Of a target: its name, `<provider>/<upstream model>`. */
  readonly target?: string;
}

/** A model as one of its targets serves it: id, owner and output limits are the same at all of them. */
export interface TargetModel extends CatalogModel {
  readonly target: string;
  /** Targets of a lower order are tried first. */
  readonly order: number;
  /** The share of the turns that it gets of those of its order. */
  readonly weight: number;
}

/** The names of the providers that serve a model, each once. */
export function providersOf({ provider, targets }: CatalogModel): readonly string[] {
  return targets === undefined ? [provider] : [...new Set(targets.map((target) => target.provider))];
}

/** Failures after which a provider certainly did not run a turn: it found no connection, or the status. */
export const SAFE_CONDITIONS = ["connection", 429, 503, 529] as const;

/** Statuses after which it may have run. */
export const UNSAFE_CONDITIONS = [500, 502, 504] as const;

/** A failure after which a turn may be tried at another target. */
export type RetryCondition = (typeof SAFE_CONDITIONS)[number] | (typeof UNSAFE_CONDITIONS)[number];

/** The prices that a model's responses are charged by. */
export interface Pricing {
  readonly snapshot: PriceSnapshot;
  /** The snapshot as stored with each response. */
  readonly text: string;
}

/** Its names include those that wildcards take. */
export interface Catalog extends ModelNames<CatalogModel> {
  /** In catalog order. */
  readonly models: readonly CatalogModel[];
  /**
   * The prices of a model, or of one of its targets, in nano-credits; null: it is free. A free target beside one that
   * is not has prices of 0.
   */
  pricingOf(model: PricedModel): Pricing | null;
  /** The value of a credit, USD. */
  readonly usdPerCredit: number;
}

/** What tells the prices of a model, or of a target. */
type PricedModel = Pick<CatalogModel, "id" | "target" | "namedBy">;

/** Default value of a credit, USD. */
export const USD_PER_CREDIT = 0.01;

/** The model of an id that a wildcard takes. */
type NameModel = (wildcard: CatalogModel, named: Pick<CatalogModel, "id" | "upstreamModel">) => CatalogModel;

/**
 * Creates the catalog; `nameModel` makes the models of wildcards. Throws a RangeError naming the model whose price is too
 * high to be charged.
 */
export function createCatalog(
  models: readonly CatalogModel[],
  usdPerCredit = USD_PER_CREDIT,
  nameModel: NameModel = (wildcard, named) => ({ ...wildcard, ...named }),
): Catalog {
  const pricings = new Map<string, Pricing>();
  for (const model of models) {
    const served = model.targets ?? [model];
    const priced = served.map((one) => priceModel(one, usdPerCredit));
    const isFree = priced.every((snapshot) => snapshot === null);
    for (const [at, one] of served.entries()) {
      const snapshot = priced[at] ?? FREE;
      if (!isFree) pricings.set(nameOf(one), { snapshot, text: JSON.stringify(snapshot) });
    }
  }
  const naming = createNaming(models, (wildcard, named) => {
    const model = nameModel(wildcard, named);
    const snapshot = priceModel(model, usdPerCredit);
    return { model, pricing: snapshot === null ? null : { snapshot, text: JSON.stringify(snapshot) } };
  });
  return {
    models,
    ...indexModels(models, (id) => naming(id)?.model),
    pricingOf: (model) =>
      pricings.get(nameOf(model)) ?? (model.namedBy === undefined ? null : (naming(model.id)?.pricing ?? null)),
    usdPerCredit,
  };
}

/** No id has a space. */
function nameOf({ id, target }: PricedModel): string {
  return target === undefined ? id : `${id} ${target}`;
}

const FREE: PriceSnapshot = { input: 0, cached_input: 0, cache_write: 0, output: 0, tiers: [] };

function priceModel(model: CatalogModel, usdPerCredit: number): PriceSnapshot | null {
  try {
    return snapshotPrices(model, usdPerCredit);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new RangeError(`The price of ${model.id} is too high: ${error.message}.`, { cause: error });
  }
}
