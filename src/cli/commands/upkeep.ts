// turngate migrate, turngate erase.
import { describeDatabase } from "../../config/database-url.ts";
import { ENGINES } from "../../store/engines.ts";
import type { Command } from "commander";
import { eraseAll } from "../../flows/accounts/erase.ts";
import { wholeNumber } from "./options.ts";
import { type OutputOptions, printRecord } from "./output.ts";
import { withStore } from "./with-store.ts";

export function addUpkeep(program: Command): void {
  program
    .command("migrate")
    .description("bring the database to the schema of this version (`serve` does too)")
    .action(migrate);
  program
    .command("erase")
    .description("erase deleted content now")
    .option(
      "--older-than-days <days>",
      "only what was deleted at least this many days ago (default: limits.erasure_after_days)",
      wholeNumber(0),
    )
    .action(erase);
}

async function migrate(options: OutputOptions) {
  // Opening the store migrates it.
  const database = await withStore(async ({ config }) => config.database, { createsStore: true });
  const { readSchemaVersion } = await ENGINES[database.engine]();
  const version = await readSchemaVersion(database.location);
  printRecord({ database: describeDatabase(database), schema_version: version }, options);
}

async function erase(options: OutputOptions & { olderThanDays?: number }) {
  const erased = await withStore((services) =>
    eraseAll(services, options.olderThanDays ?? services.config.limits.erasure_after_days, { mayBlockWrites: true }),
  );
  printRecord(erased, options);
}
