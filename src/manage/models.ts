// The catalog of models, with its prices. docs/management.md
import Type from "typebox";
import { pricesIn, seconds } from "../contract/manage/resource-fields.ts";
import { EVERYBODY } from "../contract/manage/roles.ts";
import type { CatalogModel, TargetModel } from "../core/models/catalog.ts";
import { list } from "./fields.ts";
import { operation, type Subject } from "./definition/operation.ts";

const shapes = pricesIn("USD per million tokens");

const traits = {
  provider: Type.String(),
  upstream_model: Type.String(),
  group: Type.Array(Type.String()),
  context_window: Type.Integer(),
  thinking: Type.Union([Type.String(), Type.Integer()]),
  forced_tool_choice: Type.Boolean(),
  prices: Type.Object({ ...shapes.prices, tiers: Type.Optional(shapes.tiers) }),
};

const Target = Type.Object({
  target: Type.String({ description: "`svc:target`" }),
  order: Type.Integer(),
  weight: Type.Integer(),
  ...traits,
});

export const listModels = operation({
  route: "GET /models",
  scope: "self",
  roles: EVERYBODY,
  summary: "List the catalog",
  command: {
    words: "models list",
    help: "list the models of the service that runs on the embedded database, else of this shell's configuration",
    show: ({ data }) =>
      data.map(({ id, aliases = [], provider, targets, context_window, max_output_tokens, prices }) => {
        const priced = targets?.map((target) => target.prices) ?? [prices];
        return {
          id,
          aliases: aliases.join(", "),
          provider: targets === undefined ? provider : targets.map(({ target }) => target).join(", "),
          context_window,
          max_output_tokens,
          input_price: rangeOf(priced.map(({ input }) => input)),
          output_price: rangeOf(priced.map(({ output }) => output)),
        };
      }),
    whenEmpty: "There is no model: configure some in turngate.yaml.",
  },
  output: {
    ModelList: list(
      Type.Object({
        id: Type.String(),
        aliases: Type.Optional(Type.Array(Type.String(), { description: "its further names" })),
        ...traits,
        max_output_tokens: Type.Integer(),
        default_output_tokens: Type.Integer(),
        discovered: Type.Optional(
          Type.Boolean({ description: "present, and true: its provider's server lists it, and nothing else does" }),
        ),
        owned_by: Type.String(),
        created: seconds,
        targets: Type.Optional(
          Type.Array(Target, {
            description: "The targets that its turns run on. The model's other fields hold for at least one of them.",
          }),
        ),
        retry: Type.Optional(
          Type.Array(Type.Union([Type.String(), Type.Integer()]), {
            description: "the failures after which another target is tried",
          }),
        ),
      }),
    ),
  },
  run: async ({ catalog }) => ({ data: (await catalog()).models.map(presentModel) }),
});

/** From the lowest to the highest of some prices. */
function rangeOf(prices: readonly number[]): string | number {
  const [lowest, highest] = [Math.min(...prices), Math.max(...prices)];
  return lowest === highest ? lowest : `${lowest}–${highest}`;
}

/** A model with the field names of turngate.yaml. */
export function presentModel(model: CatalogModel) {
  const { id, aliases, maxOutputTokens, defaultOutputTokens, targets, retry } = model;
  return {
    id,
    ...(aliases === undefined ? {} : { aliases: [...aliases] }),
    ...presentTraits(model),
    max_output_tokens: maxOutputTokens,
    default_output_tokens: defaultOutputTokens,
    ...(model.isDiscovered ? { discovered: true } : {}),
    owned_by: model.ownedBy,
    created: model.created,
    ...(targets === undefined ? {} : { targets: targets.map(presentTarget), retry: [...(retry ?? [])] }),
  };
}

function presentTarget(target: TargetModel) {
  return { target: target.target, order: target.order, weight: target.weight, ...presentTraits(target) };
}

function presentTraits(model: CatalogModel) {
  const { provider, upstreamModel, settings, contextWindow } = model;
  return {
    provider,
    upstream_model: upstreamModel,
    group: [...settings],
    context_window: contextWindow,
    thinking: presentThinking(model.thinking),
    forced_tool_choice: model.forcedToolChoice,
    prices: presentPrices(model),
  };
}

function presentPrices({ prices, tiers }: CatalogModel) {
  if (tiers === undefined) return prices;
  return { ...prices, tiers: tiers.map((tier) => ({ above_input_tokens: tier.aboveInputTokens, ...tier.prices })) };
}

function presentThinking(thinking: CatalogModel["thinking"]): string | number {
  if (thinking === "none") return thinking;
  return "effort" in thinking ? thinking.effort : thinking.budgetTokens;
}

export const MODELS = {
  tag: "Platform",
  about: "the catalog of models",
  operations: { listModels },
} as const satisfies Subject;
