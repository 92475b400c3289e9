// turngate config …
import type { Command } from "commander";
import { buildCatalog } from "../../config/catalog.ts";
import { readConfig } from "../../config/config.ts";
import { readTextFile } from "../../config/decode-text.ts";
import { showConfig } from "../../config/shown-config.ts";
import { FAMILIES } from "../../providers/families.ts";
import { writeNewFile } from "./new-file.ts";
import { countOf, type OutputOptions, print, printRecord } from "./output.ts";
import { printWarnings } from "../../boot/warnings.ts";

/** Longest file to import, bytes: a hundred times the longest in use. */
const IMPORTED_BYTES_MAX = 16 * 1024 * 1024;

export function addConfig(program: Command): void {
  const config = program.command("config").description("the configuration: turngate.yaml and the environment");
  config
    .command("show")
    .description("show the configuration that a start here would use, without its secrets")
    .action(show);
  config
    .command("check")
    .description("check the configuration without starting or creating anything; exits non-zero if it is invalid")
    .argument("[file]", "the file (default: TURNGATE_CONFIG, else ./turngate.yaml if it exists)")
    .action(check);
  config
    .command("import")
    .description("make a turngate.yaml from a LiteLLM configuration, and list what could not be carried over")
    .argument("<file>", "LiteLLM's config.yaml")
    .option("--write <file>", "a new file to write instead of stdout")
    .action(importFile);
}

async function show(options: OutputOptions) {
  printRecord(showConfig(await readConfig()), options);
}

async function check(file: string | undefined, options: OutputOptions) {
  const config = await readConfig(file === undefined ? process.env : { ...process.env, TURNGATE_CONFIG: file });
  const { models } = await buildCatalog(config);
  const { providers, warnings } = config;
  const found = providers.map(({ name, family, because }) => {
    const served = models.filter(({ provider }) => provider === name).map(({ id }) => id);
    return { name, type: family.type, because, models: served };
  });
  if (options.json) return printRecord({ file: config.file, providers: found, warnings }, options);
  printWarnings(warnings);
  print(`${config.file ?? "No file, only the environment"}: valid.\n`);
  for (const { name, type, because, models: served } of found) {
    print(`  ${name} (${type}; ${because}): ${countOf(served.length, "model")}\n`);
  }
}

async function importFile(file: string, options: OutputOptions & { write?: string }) {
  // Loaded late: the YAML library takes a tenth of a second.
  const { importLitellm } = await import("../../config/import-litellm.ts");
  const { text, notes } = importLitellm(file, readTextFile(file, IMPORTED_BYTES_MAX), FAMILIES);
  const to = options.write ?? null;
  if (to !== null) writeNewFile(to, text);
  if (options.json) return printRecord({ from: file, to, text, notes }, options);
  for (const note of notes) process.stderr.write(`note: ${note}\n`);
  print(to === null ? text : `Wrote ${to}; \`turngate config check ${to}\` checks it.\n`);
}
