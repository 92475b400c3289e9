// turngate models …
import type { Command } from "commander";
import type { CatalogModel } from "../../core/models/catalog.ts";
import { presentModel } from "../../flows/accounts/present.ts";
import { buildCatalog } from "../../config/catalog.ts";
import { readConfig } from "../../config/config.ts";
import { type OutputOptions, type Printed, printList } from "./output.ts";
import { printWarnings } from "../../boot/warnings.ts";

export function addModels(program: Command): void {
  program
    .command("models")
    .description("the catalog of models")
    .command("list")
    .description("list the served models")
    .action(list);
}

async function list(options: OutputOptions) {
  const config = await readConfig();
  const { models } = await buildCatalog(config);
  printWarnings(config.warnings);
  const whenEmpty = "There is no model: configure some in turngate.yaml.";
  const show: (model: CatalogModel) => Printed = options.json ? presentModel : showBriefly;
  printList(models.map(show), options, whenEmpty);
}

/** The fields that fit on a line. */
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
