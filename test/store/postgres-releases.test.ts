// A migration after which nodes of the former release could not serve: it is rejected while they serve, or asks them to
// stop. docs/reliability.md, F-46
import assert from "node:assert/strict";
import { test } from "node:test";
import { LaterSchema, StoreError } from "../../src/ports/store/store.ts";
import { listMigrations } from "../../src/store/postgres/database/migrate.ts";
import { openPostgres } from "../../src/store/postgres/open.ts";
import { until } from "../support/until.ts";
import { createManualClock } from "./fixtures.ts";
import { databases, UNDO_SINCE_20 } from "./postgres-databases.ts";

const clock = createManualClock();
const NEWEST = listMigrations().length;
const NOW = "(extract(epoch from clock_timestamp()) * 1000)::bigint";

/** A database with the schema of the former release. */
async function formerDatabase() {
  const server = await databases.server();
  const database = await databases.create();
  const query = (sql: string) => server.query<Record<string, unknown>>(database, sql);
  await query(UNDO_SINCE_20);
  return { location: server.url(database), query, isMigrated: async () => (await versions(query)) === NEWEST };
}

type Query = (sql: string) => Promise<readonly Record<string, unknown>[]>;

async function versions(query: Query): Promise<number> {
  return (await query("select version from turngate.schema_version")).length;
}

/** A node of the former release, with a lease for so long. */
async function addNode(query: Query, id: number, leaseMs: number): Promise<void> {
  await query(`
    insert into turngate.nodes (id, name, version, started_at_ms, lease_until_ms)
    values (${id}, 'host-${id}:1', '0.9.0', ${NOW}, ${NOW} + ${leaseMs})`);
}

/** Renews the lease of a node until the result is called. */
function keepRenewing(query: Query, id: number): () => Promise<void> {
  const state = { isOver: false };
  const renewing = (async () => {
    while (!state.isOver) {
      // oxlint-disable-next-line no-await-in-loop -- one renewal after the other
      await query(`update turngate.nodes set lease_until_ms = ${NOW} + 12000 where id = ${id}`);
    }
  })();
  return async () => {
    state.isOver = true;
    await renewing;
  };
}

test("an incompatible migration is rejected while nodes serve; they are named, and nothing is changed", async () => {
  const { location, query, isMigrated } = await formerDatabase();
  await addNode(query, 7, 12_000);
  await addNode(query, 8, 12_000);
  const stop = keepRenewing(query, 7);
  await assert.rejects(openPostgres({ location, clock }), (error) => {
    assert.ok(error instanceof StoreError && error.kind === "failed");
    assert.match(
      error.message,
      /nodes of a former release serve on it: host-7:1 \(0\.9\.0\), host-8:1 \(0\.9\.0\)\. They cannot serve after 0020-answers-of-several-turns\.sql: stop them first, or run `turngate migrate --stop-others`/,
    );
    return true;
  });
  await stop();
  assert.equal(await isMigrated(), false);
  assert.deepEqual(await query("select 1 from turngate.schema_lease"), []);
});

test("a node that was killed or has left is no reason", async () => {
  const { location, query, isMigrated } = await formerDatabase();
  await addNode(query, 7, 300);
  await addNode(query, 8, 12_000);
  await query(`update turngate.nodes set gone_at_ms = ${NOW} where id = 8`);
  const { store } = await openPostgres({ location, clock });
  assert.equal(await isMigrated(), true);
  await store.close();
});

test("with stopsOthers it waits until they have left, and they are asked to", async () => {
  const { location, query, isMigrated } = await formerDatabase();
  await addNode(query, 7, 12_000);
  const named: (readonly string[])[] = [];
  const opening = openPostgres({
    location,
    clock,
    stopsOthers: { onWait: (names) => void named.push(names), withinMs: 60_000 },
  });
  await until(
    "the wish",
    async () => (await query(`select 1 from turngate.schema_lease where awaits = ${NEWEST}`)).length === 1,
  );
  assert.equal(await isMigrated(), false);
  await query(`update turngate.nodes set gone_at_ms = ${NOW} where id = 7`);
  const { store } = await opening;
  assert.deepEqual(named, [["host-7:1 (0.9.0)"]]);
  assert.equal(await isMigrated(), true);
  await store.ping();
  await store.close();
});

test("with stopsOthers it gives up after a time, migrates nothing, and names those that serve", async () => {
  const { location, query, isMigrated } = await formerDatabase();
  await addNode(query, 7, 12_000);
  await assert.rejects(
    openPostgres({ location, clock, stopsOthers: { onWait() {}, withinMs: 500 } }),
    /have not stopped within 0\.5 seconds: host-7:1 \(0\.9\.0\)\. Nothing was migrated/,
  );
  assert.equal(await isMigrated(), false);
  assert.deepEqual(await query("select 1 from turngate.schema_lease"), []);
});

test("a program that another one waits for is left behind, and does not start, until that one gives up", async () => {
  const server = await databases.server();
  const database = await databases.create();
  const query: Query = (sql) => server.query<Record<string, unknown>>(database, sql);
  const location = server.url(database);
  const { store } = await openPostgres({ location, clock });
  await store.ping();
  await query("insert into turngate.schema_lease values (1, 'another', now() + interval '1 minute', 999)");
  await assert.rejects(store.ping(), LaterSchema);
  await assert.rejects(
    openPostgres({ location, clock }),
    /a later version \(schema 999; this version knows \d+\) is about to migrate it: run that version\./,
  );
  await query("update turngate.schema_lease set expires_at = now() - interval '1 second'");
  await store.ping();
  await (await openPostgres({ location, clock })).store.close();
  await store.close();
});
