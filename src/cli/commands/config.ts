// turngate config …
import type { Command } from "commander";
import { buildCatalog } from "../../config/catalog.ts";
import { readConfig } from "../../config/config.ts";
import { readTextFile } from "../../../packages/kit/decode-text.ts";
import { showConfig } from "../../config/shown-config.ts";
import { FAMILIES } from "../../providers/families.ts";
import { CONFIGURATION } from "../../manage/configuration.ts";
import { addOperations } from "../manage/add-operations.ts";
import { writeNewFile } from "./new-file.ts";
import { countOf, prints } from "../../../packages/kit/output.ts";
import { printWarnings } from "../../boot/warnings.ts";

/** Longest file to import, bytes: a hundred times the longest in use. */
const IMPORTED_BYTES_MAX = 16 * 1024 * 1024;

export function addConfig(program: Command): void {
  const config = addOperations(program, CONFIGURATION, {
    showConfiguration: async () => showConfig(await readConfig()),
  });
  config
    .command("check")
    .description("check the configuration without starting or creating anything; exits non-zero if it is invalid")
    .argument("[file]", "the file (default: TURNGATE_CONFIG, else ./turngate.yaml if it exists)")
    .action(prints(check, describeChecked));
  config
    .command("import")
    .description("make a turngate.yaml from a LiteLLM configuration, and list what could not be carried over")
    .argument("<file>", "LiteLLM's config.yaml")
    .option("--write <file>", "a new file to write instead of stdout")
    .action(prints(importFile, describeImported));
}

async function check(file: string | undefined) {
  const config = await readConfig(file === undefined ? process.env : { ...process.env, TURNGATE_CONFIG: file });
  const { models } = await buildCatalog(config);
  const providers = config.providers.map(({ name, family, because }) => {
    const served = models.filter(({ provider }) => provider === name).map(({ id }) => id);
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

async function importFile(file: string, { write: to = null }: { write?: string | null }) {
  // Loaded late: the YAML library takes a tenth of a second.
  const { importLitellm } = await import("../../config/import-litellm.ts");
  const { text, notes } = importLitellm(file, readTextFile(file, IMPORTED_BYTES_MAX), FAMILIES);
  if (to !== null) writeNewFile(to, text);
  return { from: file, to, text, notes };
}

function describeImported({ to, text, notes }: Awaited<ReturnType<typeof importFile>>): string {
  for (const note of notes) process.stderr.write(`note: ${note}\n`);
  return to === null ? text : `Wrote ${to}; \`turngate config check ${to}\` checks it.\n`;
}
