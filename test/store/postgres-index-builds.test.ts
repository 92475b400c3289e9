// Turns are stored while a migration builds an index on their table, and an interrupted build is made anew.
// docs/reliability.md, F-46
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { openPostgres } from "../../src/store/postgres/open.ts";
import { until } from "../support/until.ts";
import { ACME, addCallers, createManualClock, runResponse } from "./fixtures.ts";
import { databases } from "./postgres-databases.ts";

const clock = createManualClock();

/** A database before 0029-labelled-by-hour.sql and 0032-long-call-ids.sql, with a store of it. */
async function formerDatabase(t: TestContext) {
  const { store, database, url: location } = await databases.openFor(t);
  const server = await databases.server();
  const query = (sql: string) => server.query<Record<string, unknown>>(database, sql);
  await addCallers(store);
  await query(`
    delete from turngate.schema_version where version in (29, 32);
    drop index turngate.responses_labelled_by_hour;
    drop index turngate.items_by_call;
    create index items_by_call on turngate.items (thread_id, call_id, position) where call_id is not null`);
  // A build waits at its end for whoever reads the state of before.
  const reader = await server.connect(database);
  t.after(() => reader.end());
  await reader.query("begin isolation level repeatable read; select 1");
  return { store, location, query, reader };
}

type Query = (sql: string) => Promise<readonly Record<string, unknown>[]>;

/** The process of the server that builds an index now, once there is one. */
async function builder(query: Query): Promise<number> {
  let pid: unknown = null;
  await until("the build", async () => {
    const rows = await query("select pid from pg_stat_progress_create_index where phase = 'waiting for old snapshots'");
    pid = rows[0]?.["pid"] ?? null;
    return pid !== null;
  });
  return Number(pid);
}

const INDEXES = `
  select indexrelid::regclass::text as name, indisvalid as valid
    from pg_index
   where indexrelid::regclass::text in ('turngate.responses_labelled_by_hour', 'turngate.items_by_call')
   order by 1`;

async function assertMigrated(query: Query): Promise<void> {
  assert.deepEqual(await query(INDEXES), [
    { name: "turngate.items_by_call", valid: true },
    { name: "turngate.responses_labelled_by_hour", valid: true },
  ]);
  const definitions = await query("select indexdef from pg_indexes where indexname = 'items_by_call'");
  assert.match(String(definitions[0]?.["indexdef"]), /substr\(call_id, 1, 500\)/);
  assert.equal((await query("select 1 from turngate.schema_version where version in (29, 32)")).length, 2);
  assert.deepEqual(await query("select 1 from turngate.schema_lease"), []);
}

test("nodes store and read turns while an index is built", async (t) => {
  const { store, location, query, reader } = await formerDatabase(t);
  const opening = openPostgres({ location, clock });
  await builder(query);
  const { id } = await runResponse(store);
  assert.equal((await store.readResponse({ caller: ACME, responseId: id }))?.head.id, id);
  assert.equal((await query("select 1 from turngate.schema_version where version in (29, 32)")).length, 0);
  await reader.query("commit");
  await (await opening).store.close();
  await assertMigrated(query);
});

test("an index of which the build was interrupted is built again", async (t) => {
  const { location, query, reader } = await formerDatabase(t);
  const rejected = assert.rejects(openPostgres({ location, clock }), /terminating connection/);
  await query(`select pg_terminate_backend(${await builder(query)})`);
  await rejected;
  assert.deepEqual(
    (await query(INDEXES)).map(({ valid }) => valid),
    [true, false],
  );
  await reader.query("commit");
  await query("update turngate.schema_lease set expires_at = now() - interval '1 second'");
  await (await openPostgres({ location, clock })).store.close();
  await assertMigrated(query);
});
