// turngate migrate, turngate erase.
import { describeDatabase } from "../../config/database-url.ts";
import { ENGINES } from "../../store/engines.ts";
import type { Command } from "commander";
import { eraseAll } from "../../flows/accounts/erase.ts";
import { wholeNumber } from "./options.ts";
import { readConfig } from "../../config/config.ts";
import { type OutputOptions, print, printRecord } from "./output.ts";
import { withStore } from "./with-store.ts";

export function addUpkeep(program: Command): void {
  program
    .command("migrate")
    .description("bring the database to the schema of this version (`serve` does too)")
    .option("--plan", "only print the migrations that would run")
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

async function migrate({ plan, ...options }: OutputOptions & { plan?: boolean }) {
  if (plan) return printPlan(options);
  // Opening the store migrates it.
  const database = await withStore(async ({ config }) => config.database, { createsStore: true });
  const { readSchemaVersion } = await ENGINES[database.engine]();
  const version = await readSchemaVersion(database.location);
  printRecord({ database: describeDatabase(database), schema_version: version }, options);
}

/** Prints what `migrate` would do: for people as comments and SQL. */
async function printPlan(options: OutputOptions): Promise<void> {
  const { database } = await readConfig();
  const { planMigration } = await ENGINES[database.engine]();
  const { version, missing } = await planMigration(database.location);
  const name = describeDatabase(database);
  if (options.json) {
    const migrations = missing.map((each) => ({ version: each.version, name: each.name, sql: each.sql }));
    return printRecord({ database: name, schema_version: version, migrations }, options);
  }
  const to = missing.at(-1)?.version ?? version;
  print(`-- ${name}: schema version ${version}${to === version ? "; nothing to do" : `, to be migrated to ${to}`}\n`);
  for (const { name: file, sql } of missing) print(`\n-- ${file}\n${sql.trimEnd()}\n`);
}

async function erase(options: OutputOptions & { olderThanDays?: number }) {
  const erased = await withStore((services) =>
    eraseAll(services, options.olderThanDays ?? services.config.limits.erasure_after_days, { mayBlockWrites: true }),
  );
  printRecord(erased, options);
}
