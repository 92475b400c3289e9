// turngate models …
import type { Command } from "commander";
import type { CatalogModel } from "../../core/catalog.ts";
import { showModel } from "../../flows/accounts/shapes.ts";
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
