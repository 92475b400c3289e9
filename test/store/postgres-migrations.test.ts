// Opening a PostgreSQL database: it is created, migrated or rejected in one sentence. docs/reliability.md, F-37
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { StoreError } from "../../src/ports/store/store.ts";
import { assertServer, listMigrations } from "../../src/store/postgres/database/migrate.ts";
import { postgresEngine } from "../../src/store/postgres/engine.ts";
import { TESTS } from "../support/actor.ts";
import { createManualClock } from "./fixtures.ts";
import { databases, openPostgresStore, UNDO_SINCE_20 } from "./postgres-databases.ts";

const clock = createManualClock();

async function openAt(t: TestContext, url: string) {
  const store = await openPostgresStore({ location: url, clock });
  t.after(() => store.close());
  return store;
}

/** A new database without the store's schema. */
async function newDatabase() {
  const server = await databases.server();
  const database = await server.createDatabase();
  const query = (sql: string) => server.query<Record<string, unknown>>(database, sql);
  return { server, database, url: server.url(database), query };
}

/** A new database with the store's schema. */
async function migratedDatabase() {
  const server = await databases.server();
  const database = await databases.create();
  const query = (sql: string) => server.query<Record<string, unknown>>(database, sql);
  return { url: server.url(database), query };
}

async function assertRejected(url: string, kind: StoreError["kind"], message: RegExp): Promise<void> {
  await assert.rejects(openPostgresStore({ location: url, clock }), (error) => {
    assert.ok(error instanceof StoreError);
    assert.match(error.message, message);
    assert.match(error.message, /\.$/);
    assert.doesNotMatch(error.message, /hunter2|\n|\.\.$/);
    assert.equal(error.kind, kind);
    return true;
  });
}

test("the first open creates the schema, a later one changes nothing", async (t) => {
  const { url, query } = await newDatabase();
  const store = await openAt(t, url);
  await store.createOrganization({ by: TESTS, id: "org_a", name: "a", createdAt: 1 });
  clock.advance(1000);
  const applied = await query("select * from turngate.schema_version");
  assert.deepEqual(
    applied.map(({ version, name }) => [version, name]),
    listMigrations().map(({ version, name }) => [version, name]),
  );
  const again = await openAt(t, url);
  assert.equal((await again.findOrganization({ idOrName: "org_a" }))?.name, "a");
  assert.deepEqual(await query("select * from turngate.schema_version"), applied);
});

test("stores that open a new database at once create its schema once", async (t) => {
  const { url, query } = await newDatabase();
  const stores = await Promise.all(Array.from({ length: 6 }, () => openAt(t, url)));
  await stores[5]?.createOrganization({ by: TESTS, id: "org_a", name: "a", createdAt: 1 });
  for (const store of stores) assert.equal((await store.listOrganizations()).length, 1);
  assert.equal((await query("select * from turngate.schema_version")).length, listMigrations().length);
  assert.deepEqual(await query("select * from turngate.schema_lease"), []);
});

test("two schemas of one database are two stores", async (t) => {
  const { url } = await newDatabase();
  const [one, other] = [await openAt(t, `${url}?schema=one`), await openAt(t, `${url}?schema=other`)];
  await one.createOrganization({ by: TESTS, id: "org_a", name: "a", createdAt: 1 });
  assert.equal((await one.listOrganizations()).length, 1);
  assert.equal((await other.listOrganizations()).length, 0);
});

test("a node waits for the lease of another one, and takes it when it has expired", async (t) => {
  const { url, query } = await newDatabase();
  await query(`
    create schema turngate;
    create table turngate.schema_version (version integer primary key, name text, applied_at_ms bigint, checksum text);
    create table turngate.schema_lease ("only" integer primary key, holder text, expires_at timestamptz);
    insert into turngate.schema_lease values (1, 'another', now() + interval '1 hour')`);
  let isOpen = false;
  const opening = openAt(t, url).then((store) => {
    isOpen = true;
    return store;
  });
  // Until it has asked for the lease, and not got it, at least once.
  for (let asked = false; !asked; ) {
    // oxlint-disable-next-line no-await-in-loop -- polls
    const rows = await query(
      "select query from pg_stat_activity where datname = current_database() and query like '%schema_lease as lease%' and state = 'idle'",
    );
    asked = rows.length > 0;
  }
  assert.equal(isOpen, false);
  assert.deepEqual(await query("select * from turngate.schema_version"), []);
  await query("update turngate.schema_lease set expires_at = now() - interval '1 second'");
  assert.deepEqual(await (await opening).listOrganizations(), []);
});

test("a schema of a later version is rejected", async () => {
  const { url, query } = await migratedDatabase();
  await query("insert into turngate.schema_version values (999, '0999-later.sql', 1, 'x')");
  await assertRejected(
    url,
    "failed",
    /^postgres:\/\/127.*was written by a later version \(schema 999; this version knows \d+\)/,
  );
});

test("a schema of a later version whose migrations are compatible is accepted", async (t) => {
  const { url, query } = await migratedDatabase();
  await query("insert into turngate.schema_version values (999, '0999-later.sql', 1, 'x', 1)");
  assert.deepEqual(await (await openAt(t, url)).listOrganizations(), []);
});

test("a schema of before there were marks gets their column, with migrations to run and without", async (t) => {
  const { url, query } = await migratedDatabase();
  const drop =
    "alter table turngate.schema_version drop column compatible; alter table turngate.schema_lease drop column awaits";
  // After 0020-answers-of-several-turns.sql come migrations with marks of their own.
  const cases = [
    [drop, [0]],
    [`${drop}; ${UNDO_SINCE_20}`, [0, 1]],
  ] as const;
  for (const [statements, marks] of cases) {
    // oxlint-disable no-await-in-loop -- one after the other
    await query(statements);
    await (await openAt(t, url)).ping();
    const rows = await query("select distinct compatible from turngate.schema_version order by compatible");
    assert.deepEqual(
      rows,
      marks.map((compatible) => ({ compatible })),
    );
    // oxlint-enable no-await-in-loop
  }
});

test("a migration that was changed after it ran is rejected", async () => {
  const { url, query } = await migratedDatabase();
  await query("update turngate.schema_version set checksum = 'another'");
  await assertRejected(url, "failed", /The migration 0001-initial.sql was changed after it ran/);
});

test("a schema of another application is rejected and stays as it is", async () => {
  const { url, query } = await newDatabase();
  await query("create schema turngate; create table turngate.orders (id bigint)");
  await assertRejected(
    url,
    "failed",
    /its schema turngate belongs to another application; name another one with schema=NAME/,
  );
  await query("alter table turngate.orders rename to schema_version");
  await assertRejected(url, "failed", /belongs to another application/);
  assert.deepEqual(await query("select count(*)::text as tables from pg_tables where schemaname = 'turngate'"), [
    { tables: "1" },
  ]);
});

test("a server that cannot be used is named without user and password", async () => {
  const { url, server } = await newDatabase();
  const { port } = new URL(url);
  await server.query("postgres", "create role poor login");
  await server.query(
    "postgres",
    "create database latin encoding 'LATIN1' lc_collate 'C' lc_ctype 'C' template template0",
  );
  const at = (user: string, database: string) => `postgres://${user}:hunter2@127.0.0.1:${port}/${database}`;
  await assertRejected(
    "postgres://ada:hunter2@127.0.0.1:1/d",
    "unavailable",
    /^The database postgres:\/\/127.0.0.1:1\/d cannot be opened: PostgreSQL is unreachable: connect ECONNREFUSED/,
  );
  await assertRejected("postgres://ada:hunter2@no.such.host.invalid/d", "unavailable", /no\.such\.host\.invalid/);
  await assertRejected(at("postgres", "nowhere"), "failed", /database "nowhere" does not exist/);
  await assertRejected(at("nobody", "postgres"), "failed", /role "nobody" does not exist/);
  await assertRejected(at("poor", new URL(url).pathname.slice(1)), "failed", /permission denied for database/);
  await assertRejected(
    at("postgres", "latin"),
    "failed",
    /its encoding is LATIN1; the store needs a database with UTF8/,
  );
  await assertRejected(`${at("postgres", "postgres")}?sslmode=require`, "failed", /does not support SSL/);
});

test("a server before PostgreSQL 14 is rejected", () => {
  const server = { version: 130_014, name: "13.14", encoding: "UTF8" };
  assert.throws(() => assertServer(server), /PostgreSQL 13\.14 is too old; the store needs version 14 or later/);
  assertServer({ ...server, version: 140_000 });
});

test("the ledger and the audit log cannot be changed, deleted or emptied", async (t) => {
  const { url, query } = await migratedDatabase();
  const store = await openAt(t, url);
  const credits = { transactionId: "txn_1", amountNano: 5n };
  await store.createOrganization({ by: TESTS, id: "org_a", name: "a", createdAt: 1, credits });
  for (const [table, name] of [
    ["ledger_transfers", "the ledger"],
    ["audit_log", "the audit log"],
  ]) {
    for (const command of [
      `update turngate.${table} set organization_id = 'x'`,
      `delete from turngate.${table}`,
      `truncate turngate.${table}`,
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await assert.rejects(query(command), new RegExp(`${name} is append-only`), command);
    }
  }
});

test("a closed store is unavailable, and closing it again is no error", async () => {
  const { url } = await migratedDatabase();
  const store = await openPostgresStore({ location: url, clock });
  const last = store.listOrganizations();
  await store.close();
  await store.close();
  assert.deepEqual(await last, []);
  await assert.rejects(
    store.listOrganizations(),
    (error) => error instanceof StoreError && error.kind === "unavailable",
  );
});

test("the engine finds organizations by id and name without a store", async (t) => {
  const { url } = await migratedDatabase();
  const store = await openAt(t, url);
  await store.createOrganization({ by: TESTS, id: "org_a", name: "acme", createdAt: 1 });
  assert.deepEqual(await postgresEngine.findOrganizations(url, ["acme", "org_a", "org_b", "'"]), ["acme", "org_a"]);
});
