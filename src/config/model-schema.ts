// The shape of an entry of `models` in turngate.yaml.
import Type, { type Static } from "typebox";
import { MODEL_GROUPS, type ModelGroup, REASONING_EFFORTS, SETTINGS } from "../contract/settings.ts";
import { MODEL_ID_PATTERN, SAFE_CONDITIONS, UNSAFE_CONDITIONS } from "../core/models/catalog.ts";
import type { ProviderFamily } from "../providers/family.ts";
import { MODEL_DEFAULTS, TARGET_DEFAULTS } from "./model-defaults.ts";
import { closed, count, flag, integer, number, section, text, withDefaults } from "../../packages/kit/schema-fields.ts";

const price = (description: string) =>
  number("USD per million tokens", { minimum: 0, maximum: 1_000_000 }, description);

const priceKeys = {
  input: price("input tokens that came from no cache; default: 0"),
  cached_input: price("input tokens read from the provider's cache; default: the price of input"),
  cache_write: price("input tokens written to the provider's cache; default: the price of input"),
  output: price("output tokens; default: 0"),
};

const PriceTier = section("prices of long inputs", {
  above_input_tokens: integer(
    "a whole number of tokens",
    { minimum: 0, maximum: 1_000_000_000 },
    "the tier applies to requests with a longer input",
  ),
  ...priceKeys,
});

/** Prices with their tiers. */
export const PriceTable = section("prices in USD per million tokens", {
  ...priceKeys,
  tiers: Type.Optional(
    Type.Array(PriceTier, {
      description: "a list of prices for longer inputs; a tier applies to all tokens of such a request",
    }),
  ),
});

const groupNames = Object.keys(MODEL_GROUPS) as ModelGroup[];

/** The most targets of a model: each may cost a turn a request. */
const TARGETS_MAX = 20;

/** What says what a model accepts and costs: of an entry, or of one of its targets. */
const traitKeys = (families: readonly ProviderFamily[]) => ({
  group: Type.Optional(
    Type.Union([Type.Enum(groupNames), Type.Array(Type.Enum([...SETTINGS]), { uniqueItems: true })], {
      description: `${groupNames.join(", ")}, or a list of accepted settings out of ${SETTINGS.join(", ")}; default: the group that fits the provider's type`,
    }),
  ),
  context_window: count(2_500, "the context window, in tokens"),
  thinking: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1 }), Type.Enum([...REASONING_EFFORTS])], {
      description: `none, a token budget (a whole number, 1 or more), or an effort (${REASONING_EFFORTS.slice(1).join(", ")})`,
    }),
  ),
  forced_tool_choice: flag("whether the provider accepts a tool_choice that forces a call"),
  end_user_field: flag(
    `whether the provider receives the end user, as a keyed hash; default: by the provider's type (${listTypes(families, ({ endUserField }) => endUserField === "optional")}: false, since not every server accepts \`user\`)`,
  ),
  replay_reasoning: flag(
    `whether a server of type ${listTypes(families, ({ hasReplayReasoning }) => hasReplayReasoning)} gets the model's reasoning back with the outputs of its calls; default: by the upstream model`,
  ),
  prompt_caching: flag(
    `whether the provider is asked to cache prompts; default: true. Only the types ${listTypes(families, ({ hasCachingSwitch }) => hasCachingSwitch)} can turn it off`,
  ),
  strict_tools: flag(
    `whether the provider takes strict tools; default: true. With false they are sent as plain ones. Only for the type ${listTypes(families, ({ hasStrictSwitch }) => hasStrictSwitch)}`,
  ),
  prices: Type.Optional(
    Type.Union([PriceTable, Type.Literal(0)], {
      description: `prices in USD per million tokens (${Object.keys(PriceTable.properties).join(", ")}), or 0: free; default: those of the price list, else free`,
    }),
  ),
});

const targetSchema = (families: readonly ProviderFamily[]) =>
  withDefaults(
    TARGET_DEFAULTS,
    section("a target", {
      provider: Type.String({ minLength: 1, description: "the name of a configured provider" }),
      upstream_model: Type.String({ minLength: 1, description: "the provider's own name for the model" }),
      order: count(1, "targets of a lower order are tried first"),
      weight: count(0, "the share of the turns among the targets of the same order; 0: only when those have failed"),
      ...traitKeys(families),
    }),
  );

const RETRY = section("the failures after which a turn is tried at another target, before any output", {
  on: Type.Optional(
    Type.Array(Type.Enum([...SAFE_CONDITIONS]), {
      uniqueItems: true,
      description: `a list out of ${SAFE_CONDITIONS.join(", ")}, after which the provider has certainly not run the turn; default: all of them`,
    }),
  ),
  also: Type.Optional(
    Type.Array(Type.Enum([...UNSAFE_CONDITIONS]), {
      uniqueItems: true,
      description: `a list out of ${UNSAFE_CONDITIONS.join(", ")}, after which the provider may have run it, and charge for it; default: none`,
    }),
  ),
});

/** Its descriptions name the families that differ. */
export const modelEntrySchema = (families: readonly ProviderFamily[]) =>
  withDefaults(
    MODEL_DEFAULTS,
    Type.Object(
      {
        id: Type.String({ pattern: MODEL_ID_PATTERN, description: "a string of the form <provider>/<model>" }),
        provider: text("the name of a configured provider; default: the part of the id before the slash"),
        upstream_model: text("the provider's own name for the model; default: the part of the id after the slash"),
        ...traitKeys(families),
        max_output_tokens: count(16, "the most tokens the model can emit"),
        default_output_tokens: count(16, "output tokens reserved and requested if no turn sets max_output_tokens"),
        targets: Type.Optional(
          Type.Array(targetSchema(families), {
            minItems: 1,
            maxItems: TARGETS_MAX,
            description: `a list of 1 to ${TARGETS_MAX} targets, in place of provider and upstream_model; what they leave out is that of the model`,
          }),
        ),
        retry: Type.Optional(RETRY),
        owned_by: text("a string; default: the part of the id before the slash"),
        created: Type.Optional(Type.Integer({ minimum: 0, description: "a whole number of Unix seconds, 0 or more" })),
      },
      {
        ...closed,
        description: "a model; what it leaves out is inherited from the built-in model with its id, if there is one",
      },
    ),
  );

/** The types of the families for which the predicate holds, as a list. */
function listTypes(families: readonly ProviderFamily[], predicate: (family: ProviderFamily) => boolean): string {
  return families
    .filter(predicate)
    .map(({ type }) => type)
    .join(", ");
}

export type ModelEntry = Static<ReturnType<typeof modelEntrySchema>>;

export type TargetEntry = NonNullable<ModelEntry["targets"]>[number];
