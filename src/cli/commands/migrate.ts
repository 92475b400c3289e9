// turngate migrate
import { describeDatabase } from "../../config/database-url.ts";
import { ENGINES } from "../../store/engines.ts";
import type { Command } from "commander";
import { readConfig } from "../../config/config.ts";
import { linesOf, prints } from "../../../packages/kit/output.ts";
import { withStore } from "./with-store.ts";

export function addMigrate(program: Command): void {
  program
    .command("migrate")
    .description("bring the database to the schema of this version (`serve` does too)")
    .option("--plan", "only print the migrations that would run")
    .option("--stop-others", "before an incompatible migration, ask the nodes of the former release to stop")
    .action(prints(migrate, (done) => ("migrations" in done ? describePlan(done) : linesOf(done))));
}

async function migrate({ plan = false, stopOthers = false }: { plan?: boolean; stopOthers?: boolean }) {
  if (plan) return planMigrations();
  // Opening the store migrates it.
  const { limits } = await readConfig();
  // They have their drain, as it is set here, and a minute more.
  const withinMs = (limits.drain_notice_seconds + limits.drain_seconds + 60) * 1000;
  const database = await withStore(async ({ config }) => config.database, {
    createsStore: true,
    stopsOthers: stopOthers ? { onWait: reportWait, withinMs } : null,
  });
  const { planMigration } = await ENGINES[database.engine]();
  const { version } = await planMigration(database.location);
  return { database: describeDatabase(database), schema_version: version };
}

function reportWait(names: readonly string[]): void {
  process.stderr.write(`waiting for ${names.length} nodes to stop: ${names.join(", ")}\n`);
}

/** What `migrate` would do. */
async function planMigrations() {
  const { database } = await readConfig();
  const { planMigration } = await ENGINES[database.engine]();
  const { version, missing } = await planMigration(database.location);
  const migrations = missing.map(({ version: to, name, compatible, sql }) => ({ version: to, name, compatible, sql }));
  return { database: describeDatabase(database), schema_version: version, migrations };
}

/** A plan as comments and SQL. */
function describePlan({ database, schema_version: version, migrations }: Awaited<ReturnType<typeof planMigrations>>) {
  const to = migrations.at(-1)?.version ?? version;
  const next = to === version ? "; nothing to do" : `, to be migrated to ${to}`;
  const files = migrations.map(({ name, sql }) => `\n-- ${name}\n${sql.trimEnd()}\n`);
  return `-- ${database}: schema version ${version}${next}\n${files.join("")}`;
}
