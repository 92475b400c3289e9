// Errors on opening, with their messages, and the state of the file once it is open.
import assert from "node:assert/strict";
import { closeSync, mkdirSync, openSync, renameSync, statSync, writeFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { StoreError } from "../../src/ports/store/store.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { addCallers, createManualClock, runResponse, says } from "./fixtures.ts";
import { walBytes, withDatabase } from "./raw-database.ts";
import { openAt, openFor, pathFor } from "./sqlite-files.ts";
import { TESTS } from "../support/actor.ts";

const storeError = (kind: StoreError["kind"], words: RegExp) => (error: unknown) =>
  error instanceof StoreError && error.kind === kind && words.test(error.message);

test("a missing directory is created, with access for its owner alone", async (t) => {
  const path = pathFor(t);
  const deep = join(dirname(path), "data", "deep.db");
  const store = await openAt(t, { location: deep, clock: createManualClock() });
  assert.equal(statSync(deep).mode & 0o077, 0);
  assert.equal(statSync(`${deep}-wal`).mode & 0o077, 0);
  assert.equal(statSync(dirname(deep)).mode & 0o077, 0);
  await store.close();
});

test("a file that is no database is rejected", async (t) => {
  const path = pathFor(t);
  writeFileSync(path, "this is not a database at all ".repeat(300));
  const opened = openSqliteStore({ location: path, clock: createManualClock() });
  await assert.rejects(opened, storeError("failed", /damaged or not a database/));
});

test("a damaged page is rejected", async (t) => {
  const path = pathFor(t);
  const store = await openAt(t, { location: path, clock: createManualClock() });
  await addCallers(store);
  for (let turn = 0; turn < 20; turn++) await runResponse(store);
  await store.close();
  const page = withDatabase(path, (database) =>
    Number(database.prepare("select rootpage as page from sqlite_schema where name = 'responses'").get()?.["page"]),
  );
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(4096, 0xa5), 0, 4096, (page - 1) * 4096);
  closeSync(file);
  const opened = openSqliteStore({ location: path, clock: createManualClock() });
  await assert.rejects(opened, storeError("failed", /damaged/));
});

test("another application's database is rejected and not changed", async (t) => {
  const path = pathFor(t);
  withDatabase(path, (database) => database.exec("create table theirs (a)"));
  const opened = openSqliteStore({ location: path, clock: createManualClock() });
  await assert.rejects(opened, storeError("failed", /another application's/));
  const mode = withDatabase(path, (database) => database.prepare("pragma journal_mode").get()?.["journal_mode"]);
  assert.equal(mode, "delete");
});

test("a database of a later version is rejected", async (t) => {
  const path = pathFor(t);
  await (await openAt(t, { location: path, clock: createManualClock() })).close();
  withDatabase(path, (database) =>
    database.exec("insert into schema_version values (998, '0998-later.sql', 0, 'a checksum', 0)"),
  );
  withDatabase(path, (database) =>
    database.exec("insert into schema_version values (999, '0999-later.sql', 0, 'a checksum', 1)"),
  );
  const opened = openSqliteStore({ location: path, clock: createManualClock() });
  await assert.rejects(opened, storeError("failed", /later version \(schema 999/));
});

test("a database of a later version whose migrations are compatible is accepted", async (t) => {
  const path = pathFor(t);
  await (await openAt(t, { location: path, clock: createManualClock() })).close();
  withDatabase(path, (database) =>
    database.exec("insert into schema_version values (999, '0999-later.sql', 0, 'a checksum', 1)"),
  );
  const store = await openAt(t, { location: path, clock: createManualClock() });
  await addCallers(store);
  await runResponse(store);
});

test("a database of before there were marks gets their column", async (t) => {
  const path = pathFor(t);
  await (await openAt(t, { location: path, clock: createManualClock() })).close();
  withDatabase(path, (database) => database.exec("alter table schema_version drop column compatible"));
  const store = await openAt(t, { location: path, clock: createManualClock() });
  await store.ping();
  await store.close();
  withDatabase(path, (database) =>
    database.exec("insert into schema_version (version, name, applied_at_ms) values (999, 'later.sql', 0)"),
  );
  const opened = openSqliteStore({ location: path, clock: createManualClock() });
  await assert.rejects(opened, storeError("failed", /later version \(schema 999/));
});

test("a database that has run another text of a migration is rejected and not changed", async (t) => {
  const path = pathFor(t);
  await (await openAt(t, { location: path, clock: createManualClock() })).close();
  const write = (checksum: string | null) =>
    withDatabase(path, (database) =>
      database.prepare("update schema_version set checksum = ? where version = 2").run(checksum),
    );
  const read = () =>
    withDatabase(path, (database) => database.prepare("select checksum from schema_version where version = 2").get());
  const { checksum } = read() as { checksum: string };
  write("of another text");
  const opened = openSqliteStore({ location: path, clock: createManualClock() });
  await assert.rejects(opened, storeError("failed", /The migration 0002-money\.sql was changed after it ran on /));
  assert.deepEqual({ ...read() }, { checksum: "of another text" });
  write(checksum);
  await (await openAt(t, { location: path, clock: createManualClock() })).close();
});

test("a database without checksums is accepted as it is, and has them from then on", async (t) => {
  const path = pathFor(t);
  await (await openAt(t, { location: path, clock: createManualClock() })).close();
  const read = () =>
    withDatabase(path, (database) => database.prepare("select version, checksum from schema_version").all());
  const before = read();
  withDatabase(path, (database) => database.exec("alter table schema_version drop column checksum"));
  await (await openAt(t, { location: path, clock: createManualClock() })).close();
  assert.deepEqual(read(), before);
});

test("a path that can't be a file is rejected", async (t) => {
  const path = pathFor(t);
  mkdirSync(path);
  const opened = openSqliteStore({ location: path, clock: createManualClock() });
  await assert.rejects(opened, storeError("unavailable", /cannot be opened/));
});

test("every error on opening names the file", async (t) => {
  for (const taken of ["-wal", ".lock"]) {
    const path = pathFor(t);
    mkdirSync(`${path}${taken}`, { recursive: true });
    const opened = openSqliteStore({ location: path, clock: createManualClock(), exclusive: true });
    await assert.rejects(opened, ({ message }: Error) => message.startsWith(`The database ${path} cannot be opened: `));
  }
});

test("a store with a file that was moved away is gone for good: it neither stores nor reads, and is not ready", async (t) => {
  for (const suffix of ["", "-wal", "-shm"]) {
    const path = pathFor(t);
    const store = await openAt(t, { location: path, clock: createManualClock() });
    await addCallers(store);
    await store.ping();
    renameSync(`${path}${suffix}`, `${path}.moved`);
    const gone = storeError("gone", new RegExp(`test\\.db${suffix} is gone`));
    await assert.rejects(runResponse(store), gone);
    renameSync(`${path}.moved`, `${path}${suffix}`);
    await assert.rejects(runResponse(store), gone);
    await assert.rejects(store.ping(), gone);
    await assert.rejects(store.findOrganization({ idOrName: "org_acme" }), gone);
    await store.close();
  }
});

test("checkpoints, a truncated WAL and other processes' writes do not count as another file", async (t) => {
  const path = pathFor(t);
  const clock = createManualClock();
  const store = await openAt(t, { location: path, clock });
  await addCallers(store);
  for (let round = 0; round < 4; round++) {
    // Past the length at which the WAL is checkpointed.
    for (let turn = 0; turn < 40; turn++) await runResponse(store, { input: [says("x".repeat(120_000))] });
    const beside = await openAt(t, { location: path, clock });
    await runResponse(beside);
    await beside.close();
    withDatabase(path, (database) => database.exec("pragma wal_checkpoint(truncate)"));
    await store.eraseDeleted({ olderThanDays: 0, batch: 1000, mayBlockWrites: true });
    await store.ping();
  }
  await store.close();
});

test("a second server is rejected while the first runs; the command line is not", async (t) => {
  const { store, path, clock } = await openFor(t, { exclusive: true });
  await addCallers(store);
  const second = openSqliteStore({ location: path, clock, exclusive: true });
  await assert.rejects(second, storeError("unavailable", /Another server is running/));
  const commandLine = await openAt(t, { location: path, clock });
  await commandLine.createOrganization({ by: TESTS, id: "org_cli", name: "cli", createdAt: 1 });
  assert.notEqual(await store.findOrganization({ idOrName: "cli" }), null);
  await commandLine.close();
  await store.close();
  await (await openAt(t, { location: path, clock, exclusive: true })).close();
});

test("a failed opening releases the lock", async (t) => {
  const path = pathFor(t);
  writeFileSync(path, "garbage ".repeat(1000));
  for (let attempt = 0; attempt < 2; attempt++) {
    const opened = openSqliteStore({ location: path, clock: createManualClock(), exclusive: true });
    await assert.rejects(opened, storeError("failed", /damaged/));
  }
});

test("two concurrent openings of a new file migrate it once", async (t) => {
  const path = pathFor(t);
  const clock = createManualClock();
  const stores = await Promise.all([openAt(t, { location: path, clock }), openAt(t, { location: path, clock })]);
  const versions = withDatabase(path, (database) => database.prepare("select version from schema_version").all());
  assert.deepEqual(
    versions.map((row) => row["version"]),
    versions.map((_, index) => index + 1),
  );
  for (const store of stores) await store.ping();
});

test("the file is in WAL mode and intact, and its WAL is truncated on closing", async (t) => {
  const { store, path } = await openFor(t);
  await addCallers(store);
  await runResponse(store);
  const look = (pragma: string) =>
    withDatabase(path, (database) => Object.values(database.prepare(pragma).get() ?? {})[0]);
  assert.equal(look("pragma journal_mode"), "wal");
  assert.ok(walBytes(path) > 0);
  assert.equal(look("pragma integrity_check"), "ok");
  assert.equal(look("pragma foreign_key_check"), undefined);
  await store.close();
  assert.equal(walBytes(path), 0);
});
