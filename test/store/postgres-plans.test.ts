// The query plans of the store's statements on PostgreSQL: by index, whatever a table's length.
import assert from "node:assert/strict";
import { test } from "node:test";
import { listMigrations } from "../../src/store/postgres/database/migrate.ts";
import { mergeText } from "../../src/store/postgres/database/merge.ts";
import { createTranslate, listTables } from "../../src/store/postgres/database/translate.ts";
import { PROCEDURES } from "../../src/store/procedures.ts";
import { definedStatements } from "../../src/store/engine/statement.ts";
import { organizationOf } from "./contract/hold-fixtures.ts";
import { createManualClock } from "./fixtures.ts";
import { databases, openPostgresStore } from "./postgres-databases.ts";

const translate = createTranslate("turngate", ["schema_version", "schema_lease", ...listTables(listMigrations())]);

/** Allowed scans of whole tables: short ones, and lists of everything. */
const READ_WHOLE = [
  /^Seq Scan on nodes /,
  /^Seq Scan on schema_(version|lease)/,
  /^Seq Scan on admin_tokens in \s*select (?![\s\S]*where)/,
  // The rotation of the root secret.
  /^Seq Scan on \w+ in \s*update "turngate"\.(key_secrets|admin_tokens) set root = \$1 where root is null$/,
  /^Seq Scan on \w+ in \s*delete from "turngate"\.(sessions|sign_in_links|operator_links)$/,
];

test("no merged statement scans a whole table, and each runs", async (t) => {
  const { database } = await databases.openFor(t);
  const server = await databases.server();
  const client = await server.connect(database);
  t.after(() => client.end());
  await client.query("set search_path = ''; set enable_seqscan = off; set plan_cache_mode = force_generic_plan");
  const scans: string[] = [];
  const merged: string[] = [];
  for (const statement of definedStatements()) {
    const { text, names } = translate(statement);
    const over = mergeText(statement.kind, text);
    if (over === null || names.length === 0) continue;
    const name = `m${statement.slot}`;
    // oxlint-disable no-await-in-loop -- one connection
    await client.query(`prepare ${name}_one as ${text}`);
    const { rows } = await client.query<{ types: string }>(
      `select array_to_string(parameter_types, ',') as types from pg_prepared_statements where name = '${name}_one'`,
    );
    const types = rows[0]?.types.split(",") ?? [];
    try {
      await client.query(`prepare ${name} as ${over(types)}`);
    } catch {
      // Its form does not allow it, so the store does not merge it either.
      continue;
    }
    merged.push(text);
    const nulls = types.map((type) => `array[null, null]::${type}[]`).join(", ");
    const plan = await client.query<{ "QUERY PLAN": string }>(`explain (costs off) execute ${name}(${nulls})`);
    // oxlint-enable no-await-in-loop
    for (const { "QUERY PLAN": step } of plan.rows) {
      const [scan] = /Seq Scan on \w+.*/.exec(step) ?? [];
      const found = `${scan} in ${text}`;
      if (scan !== undefined && !READ_WHOLE.some((allowed) => allowed.test(found))) scans.push(found);
    }
  }
  for (const ofTurns of [
    /insert into "turngate".responses/,
    /update "turngate".responses\s+set status/,
    /update "turngate".threads\s+set head_position[\s\S]*latest_response/,
    /insert into "turngate".items/,
    /insert into "turngate".ledger_transfers/,
    /insert into "turngate".threads/,
    /select id[\s\S]*from "turngate".responses[\s\S]*for no key update/,
  ]) {
    assert.ok(
      merged.some((text) => ofTurns.test(text)),
      String(ofTurns),
    );
  }
  assert.deepEqual(scans, []);
});

test("every statement is prepared, without a search path, and none scans a whole table", async (t) => {
  const { database } = await databases.openFor(t);
  const server = await databases.server();
  // Importing the procedures has defined all statements.
  const statements = definedStatements();
  assert.ok(statements.length > Object.keys(PROCEDURES).length);
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

// The embedded store reads them by an index, PostgreSQL in any order.
test("of the budgets of one scope without anything left, that of the shortest period is named, whatever the plan", async (t) => {
  const url = (await databases.server()).url(await databases.create());
  const scans = "options=-c%20enable_indexscan=off%20-c%20enable_bitmapscan=off%20-c%20enable_indexonlyscan=off";
  const clock = createManualClock();
  const store = await openPostgresStore({ location: `${url}?${scans}`, clock });
  t.after(() => store.close());
  const org = await organizationOf({ store, clock }, "shortest", 100n);
  for (const period of ["total", "month", "day"] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one after another
    await org.setBudget({ scope: "organization", id: null, period }, 0n);
  }
  const { outcome } = await org.begin(1n);
  assert.ok(outcome.kind === "shortage" && outcome.shortage.kind === "budget");
  assert.equal(outcome.shortage.period, "day");
});
