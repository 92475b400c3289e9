// The query plans of the store's statements on PostgreSQL: by index, whatever a table's length.
import assert from "node:assert/strict";
import { test } from "node:test";
import { listMigrations } from "../../src/store/postgres/database/migrate.ts";
import { createTranslate, listTables } from "../../src/store/postgres/database/translate.ts";
import { OPERATIONS } from "../../src/store/operations.ts";
import { definedStatements } from "../../src/store/engine/statement.ts";
import { createDatabases } from "./postgres-databases.ts";
import { startServer } from "./postgres-server.ts";

const databases = createDatabases(startServer);
const translate = createTranslate("turngate", ["schema_version", ...listTables(listMigrations())]);

/** Allowed scans of whole tables: short ones, and lists of everything. */
const READ_WHOLE = [
  /^Seq Scan on nodes /,
  /^Seq Scan on schema_version/,
  /^Seq Scan on admin_tokens in \s*select (?![\s\S]*where)/,
];

test("every statement is prepared, without a search path, and none scans a whole table", async (t) => {
  const { database } = await databases.openFor(t);
  const server = await databases.server();
  // Importing the operations has defined all statements.
  const statements = definedStatements();
  assert.ok(statements.length > Object.keys(OPERATIONS).length);
  const client = await server.connect(database);
  t.after(() => client.end());
  await client.query("set search_path = ''; set enable_seqscan = off; set plan_cache_mode = force_generic_plan");
  const faults: string[] = [];
  const scans: string[] = [];
  for (const statement of statements) {
    const { text, names } = translate(statement);
    const name = `s${statement.slot}`;
    try {
      // oxlint-disable no-await-in-loop -- one connection
      await client.query(`prepare ${name} as ${text}`);
      const values = names.length === 0 ? "" : `(${names.map(() => "null").join(", ")})`;
      const { rows } = await client.query<{ "QUERY PLAN": string }>(`explain (costs off) execute ${name}${values}`);
      // oxlint-enable no-await-in-loop
      for (const { "QUERY PLAN": step } of rows) {
        const [scan] = /Seq Scan on \w+.*/.exec(step) ?? [];
        const found = `${scan} in ${text}`;
        if (scan !== undefined && !READ_WHOLE.some((allowed) => allowed.test(found))) scans.push(found);
      }
    } catch (error) {
      faults.push(`${String(error)} in ${text}`);
    }
  }
  assert.deepEqual({ faults, scans }, { faults: [], scans: [] });
});
