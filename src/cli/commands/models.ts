// turngate models …
import type { Command } from "commander";
import { presentModel } from "../../flows/accounts/present.ts";
import { buildCatalog } from "../../config/catalog.ts";
import { readConfig } from "../../config/config.ts";
import { printsList } from "./output.ts";
import { printWarnings } from "../../boot/warnings.ts";

export function addModels(program: Command): void {
  program
    .command("models")
    .description("the catalog of models")
    .command("list")
    .description("list the served models")
    .action(
      printsList("There is no model: configure some in turngate.yaml.", list, (model) => ({
        id: model.id,
        provider: model.provider,
        context_window: model.context_window,
        max_output_tokens: model.max_output_tokens,
        input_price: model.prices.input,
        output_price: model.prices.output,
      })),
    );
}

async function list() {
  const config = await readConfig();
  const { models } = await buildCatalog(config);
  printWarnings(config.warnings);
  return models.map(presentModel);
}
