// turngate migrate, turngate erase.
import type { Command } from "commander";
import { eraseAll } from "../../flows/accounts/erase.ts";
import { jsonOption, wholeNumber } from "./options.ts";
import { type OutputOptions, printRecord } from "./output.ts";
import { withStore } from "./with-store.ts";

export function addUpkeep(program: Command): void {
  program
    .command("migrate")
    .description("bring the database to the schema of this version (`serve` does it too)")
    .addOption(jsonOption())
    .action(migrate);
  program
    .command("erase")
    .description("erase the content of what was deleted long enough ago, now")
    .option(
      "--older-than-days <days>",
      "deleted at least so many days ago (default: limits.erasure_after_days)",
      wholeNumber(0),
    )
    .addOption(jsonOption())
    .action(erase);
}

async function migrate(options: OutputOptions) {
  // Opening the store migrates it.
  const database = await withStore(async ({ config }) => config.databasePath, { makesStore: true });
  const { readSchemaVersion } = await import("../../store/sqlite/database/schema-version.ts");
  printRecord({ database, schema_version: readSchemaVersion(database) }, options);
}

async function erase(options: OutputOptions & { olderThanDays?: number }) {
  const erased = await withStore(({ desk, config }) =>
    eraseAll(desk, options.olderThanDays ?? config.limits.erasure_after_days, { compactsAnySize: true }),
  );
  printRecord(erased, options);
}
