// turngate config …
import type { Command } from "commander";
import { buildCatalog } from "../../config/catalog.ts";
import { readConfig } from "../../config/config.ts";
import { showConfig } from "../../config/shown-config.ts";
import { providersOf } from "../../core/models/catalog.ts";
import { CONFIGURATION } from "../../manage/configuration.ts";
import { addLitellmImport } from "../satellites.ts";
import { addOperations } from "../manage/add-operations.ts";
import { countOf, prints } from "../../../packages/kit/output.ts";
import { printWarnings } from "../../boot/warnings.ts";

export function addConfig(program: Command): void {
  const config = addOperations(program, CONFIGURATION, {
    showConfiguration: async () => showConfig(await readConfig()),
  });
  config
    .command("check")
    .description("check the configuration without starting or creating anything; exits non-zero if it is invalid")
    .argument("[file]", "the file (default: TURNGATE_CONFIG, else ./turngate.yaml if it exists)")
    .action(prints(check, describeChecked));
  addLitellmImport(config);
}

async function check(file: string | undefined) {
  const config = await readConfig(file === undefined ? process.env : { ...process.env, TURNGATE_CONFIG: file });
  const { models } = await buildCatalog(config);
  const providers = config.providers.map(({ name, family, because }) => {
    const served = models.filter((model) => providersOf(model).includes(name)).map(({ id }) => id);
    return { name, type: family.type, because, models: served };
  });
  return { file: config.file, providers, warnings: config.warnings };
}

function describeChecked({ file, providers, warnings }: Awaited<ReturnType<typeof check>>): string {
  printWarnings(warnings);
  const lines = providers.map(
    ({ name, type, because, models }) => `  ${name} (${type}; ${because}): ${countOf(models.length, "model")}\n`,
  );
  return `${file ?? "No file, only the environment"}: valid.\n${lines.join("")}`;
}
