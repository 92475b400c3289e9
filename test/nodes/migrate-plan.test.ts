// `migrate --plan` prints what `migrate` would do and changes nothing, on both engines.
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { commandLineForFile } from "../cli/command-line.ts";
import { databases } from "../store/postgres-databases.ts";

const line = commandLineForFile();

interface Plan {
  readonly schema_version: number;
  readonly migrations: readonly {
    readonly version: number;
    readonly name: string;
    readonly compatible: boolean;
    readonly sql: string;
  }[];
}

async function run(variables: Readonly<Record<string, string>>, ...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await line.run(["migrate", ...words], variables);
  assert.equal(code, 0, stderr);
  return stdout;
}

/** Checks the plan of a new database, and of the same database once it is migrated. */
async function checkPlans(variables: Readonly<Record<string, string>>): Promise<void> {
  const plan = async () => JSON.parse(await run(variables, "--plan", "--json")) as Plan;
  const before = await plan();
  assert.equal(before.schema_version, 0);
  assert.deepEqual(
    before.migrations.map(({ version }) => version),
    before.migrations.map((_, index) => index + 1),
  );
  assert.match(before.migrations[0]?.sql ?? "", /create table organizations/);
  for (const { name, compatible, sql } of before.migrations) {
    assert.equal(compatible, sql.startsWith("-- compatible: yes."), name);
  }
  assert.deepEqual(await plan(), before, "the plan has changed nothing");
  const printed = await run(variables, "--plan");
  assert.match(printed, /^-- [^\n]+: schema version 0, to be migrated to \d+\n\n-- 0001-[^\n]+\n/);
  await run(variables);
  assert.deepEqual(await plan(), { ...before, schema_version: before.migrations.length, migrations: [] });
  assert.match(await run(variables, "--plan"), /^-- [^\n]+: schema version \d+; nothing to do\n$/);
}

test("of the embedded store, which is not created", async () => {
  await run({}, "--plan");
  assert.deepEqual(readdirSync(line.folder), []);
  await checkPlans({});
  assert.ok(existsSync(join(line.folder, "data", "turngate.db")));
});

test("of PostgreSQL, where no schema is created", async () => {
  const server = await databases.server();
  const name = await server.createDatabase();
  const variables = { DATABASE_URL: server.url(name), TURNGATE_SECRET: "a root secret of the plans, long enough" };
  await run(variables, "--plan");
  assert.deepEqual(await server.query(name, "select 1 from pg_namespace where nspname = 'turngate'"), []);
  await checkPlans(variables);
});

test("a database that cannot be migrated is an error", async () => {
  const server = await databases.server();
  const name = await server.createDatabase();
  await server.query(name, "create schema turngate; create table turngate.orders (id integer)");
  const { code, stdout, stderr } = await line.run(["migrate", "--plan"], { DATABASE_URL: server.url(name) });
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /^error: [^\n]*schema turngate belongs to another application[^\n]*\n$/);
});
