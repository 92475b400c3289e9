// turngate models …
import type { Command } from "commander";
import { presentModel } from "../../flows/accounts/present.ts";
import { buildCatalog } from "../../config/catalog.ts";
import { readConfig } from "../../config/config.ts";
import { printsList } from "./output.ts";
import { findServing } from "../../boot/serving.ts";
import { printWarnings } from "../../boot/warnings.ts";

export function addModels(program: Command): void {
  program
    .command("models")
    .description("the catalog of models")
    .command("list")
    .description(
      "list the models of the service that runs on the embedded database, else of this shell's configuration",
    )
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
  printWarnings(config.warnings);
  const serving = await findServing(config);
  if (serving !== null) {
    process.stderr.write(`The service at ${serving.base_url} serves ${serving.serves}.\n`);
    return serving.models;
  }
  const { models } = await buildCatalog(config);
  return models.map(presentModel);
}
