// The catalog of models, with its prices. docs/management.md
import Type from "typebox";
import { pricesIn, seconds } from "../contract/manage/resource-fields.ts";
import { EVERYBODY } from "../contract/manage/roles.ts";
import type { CatalogModel } from "../core/models/catalog.ts";
import { list } from "./fields.ts";
import { operation, type Subject } from "./operation.ts";

const shapes = pricesIn("USD per million tokens");

export const listModels = operation({
  route: "GET /models",
  scope: "self",
  roles: EVERYBODY,
  summary: "List the catalog",
  command: {
    words: "models list",
    help: "list the models of the service that runs on the embedded database, else of this shell's configuration",
    show: ({ data }) =>
      data.map(({ id, provider, context_window, max_output_tokens, prices: { input, output } }) => ({
        id,
        provider,
        context_window,
        max_output_tokens,
        input_price: input,
        output_price: output,
      })),
    whenEmpty: "There is no model: configure some in turngate.yaml.",
  },
  output: {
    ModelList: list(
      Type.Object({
        id: Type.String(),
        provider: Type.String(),
        upstream_model: Type.String(),
        group: Type.Array(Type.String()),
        context_window: Type.Integer(),
        max_output_tokens: Type.Integer(),
        default_output_tokens: Type.Integer(),
        thinking: Type.Union([Type.String(), Type.Integer()]),
        forced_tool_choice: Type.Boolean(),
        prices: Type.Object({ ...shapes.prices, tiers: Type.Optional(shapes.tiers) }),
        owned_by: Type.String(),
        created: seconds,
      }),
    ),
  },
  run: async ({ catalog }) => ({ data: (await catalog()).models.map(presentModel) }),
});

/** A model with the field names of turngate.yaml. */
export function presentModel(model: CatalogModel) {
  const { id, provider, upstreamModel, settings, contextWindow, maxOutputTokens, defaultOutputTokens } = model;
  return {
    id,
    provider,
    upstream_model: upstreamModel,
    group: [...settings],
    context_window: contextWindow,
    max_output_tokens: maxOutputTokens,
    default_output_tokens: defaultOutputTokens,
    thinking: presentThinking(model.thinking),
    forced_tool_choice: model.forcedToolChoice,
    prices: presentPrices(model),
    owned_by: model.ownedBy,
    created: model.created,
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
