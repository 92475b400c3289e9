// turngate models …
import type { Command } from "commander";
import type { CatalogModel } from "../../core/catalog.ts";
import { buildCatalog } from "../catalog.ts";
import { readConfig } from "../config.ts";
import { jsonOption } from "./options.ts";
import { type OutputOptions, type Printed, printList } from "./output.ts";

export function addModels(program: Command): void {
  program
    .command("models")
    .description("the catalog")
    .command("list")
    .description("list the models that are served")
    .addOption(jsonOption())
    .action(list);
}

async function list(options: OutputOptions) {
  const { models } = await buildCatalog(await readConfig());
  const whenEmpty = "There is no model: list some in turngate.yaml.";
  const show: (model: CatalogModel) => Printed = options.json ? showModel : showBriefly;
  printList(models.map(show), options, whenEmpty);
}

/** A model under the names of turngate.yaml. */
function showModel(model: CatalogModel) {
  const { id, provider, upstreamModel, settings, contextWindow, maxOutputTokens, defaultOutputTokens } = model;
  return {
    id,
    provider,
    upstream_model: upstreamModel,
    group: [...settings],
    context_window: contextWindow,
    max_output_tokens: maxOutputTokens,
    default_output_tokens: defaultOutputTokens,
    thinking: showThinking(model.thinking),
    forced_tool_choice: model.forcedToolChoice,
    prices: showPrices(model),
    owned_by: model.ownedBy,
    created: model.created,
  };
}

/** What fits on a line. */
function showBriefly({ id, provider, contextWindow, maxOutputTokens, prices }: CatalogModel) {
  return {
    id,
    provider,
    context_window: contextWindow,
    max_output_tokens: maxOutputTokens,
    input_price: prices.input,
    output_price: prices.output,
  };
}

function showPrices({ prices, tiers }: CatalogModel) {
  if (tiers === undefined) return prices;
  return { ...prices, tiers: tiers.map((tier) => ({ above_input_tokens: tier.aboveInputTokens, ...tier.prices })) };
}

function showThinking(thinking: CatalogModel["thinking"]): string | number {
  if (thinking === "none") return thinking;
  return "effort" in thinking ? thinking.effort : thinking.budgetTokens;
}
