// What stands in the way of opening, said in words; and what the file is like once it is open.
import assert from "node:assert/strict";
import { closeSync, mkdirSync, openSync, renameSync, statSync, writeFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { StoreError } from "../../src/ports/store.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { addCallers, createHandClock, runTurn } from "./fixtures.ts";
import { journalBytes, lookInto } from "./look-into.ts";
import { openAt, openFor, pathFor } from "./sqlite-files.ts";
import { TESTS } from "../support/actor.ts";

const refusal = (kind: StoreError["kind"], words: RegExp) => (error: unknown) =>
  error instanceof StoreError && error.kind === kind && words.test(error.message);

test("a missing directory is made, and what is in it is its owner's alone", async (t) => {
  const path = pathFor(t);
  const deep = join(dirname(path), "data", "deep.db");
  const store = await openAt(t, { path: deep, clock: createHandClock() });
  assert.equal(statSync(deep).mode & 0o077, 0);
  assert.equal(statSync(`${deep}-wal`).mode & 0o077, 0);
  assert.equal(statSync(dirname(deep)).mode & 0o077, 0);
  await store.close();
});

test("a file that is no database is refused", async (t) => {
  const path = pathFor(t);
  writeFileSync(path, "this is not a database at all ".repeat(300));
  const opened = openSqliteStore({ path, clock: createHandClock() });
  await assert.rejects(opened, refusal("failed", /damaged or not a database/));
});

test("a damaged page is refused", async (t) => {
  const path = pathFor(t);
  const store = await openAt(t, { path, clock: createHandClock() });
  await addCallers(store);
  for (let turn = 0; turn < 20; turn++) await runTurn(store);
  await store.close();
  const page = lookInto(path, (database) =>
    Number(database.prepare("select rootpage as page from sqlite_schema where name = 'responses'").get()?.["page"]),
  );
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(4096, 0xa5), 0, 4096, (page - 1) * 4096);
  closeSync(file);
  const opened = openSqliteStore({ path, clock: createHandClock() });
  await assert.rejects(opened, refusal("failed", /damaged/));
});

test("another application's database is refused and left as it was", async (t) => {
  const path = pathFor(t);
  lookInto(path, (database) => database.exec("create table theirs (a)"));
  const opened = openSqliteStore({ path, clock: createHandClock() });
  await assert.rejects(opened, refusal("failed", /another application's/));
  const mode = lookInto(path, (database) => database.prepare("pragma journal_mode").get()?.["journal_mode"]);
  assert.equal(mode, "delete");
});

test("a database of a later version is refused", async (t) => {
  const path = pathFor(t);
  await (await openAt(t, { path, clock: createHandClock() })).close();
  lookInto(path, (database) => database.exec("insert into schema_version values (999, '0999-later.sql', 0)"));
  const opened = openSqliteStore({ path, clock: createHandClock() });
  await assert.rejects(opened, refusal("failed", /later version \(schema 999/));
});

test("a path that can't be a file is refused", async (t) => {
  const path = pathFor(t);
  mkdirSync(path);
  const opened = openSqliteStore({ path, clock: createHandClock() });
  await assert.rejects(opened, refusal("unavailable", /cannot be opened/));
});

test("what SQLite or the system says of it, the file is named", async (t) => {
  for (const taken of ["-wal", ".lock"]) {
    const path = pathFor(t);
    mkdirSync(`${path}${taken}`, { recursive: true });
    const opened = openSqliteStore({ path, clock: createHandClock(), exclusive: true });
    await assert.rejects(opened, ({ message }: Error) => message.startsWith(`The database ${path} cannot be opened: `));
  }
});

test("a store whose file was moved away, or another put in its place, is not ready", async (t) => {
  const path = pathFor(t);
  const store = await openAt(t, { path, clock: createHandClock() });
  await store.ping();
  renameSync(path, `${path}.moved`);
  await assert.rejects(store.ping(), refusal("unavailable", /is gone: what is written now is lost/));
  writeFileSync(path, "");
  await assert.rejects(store.ping(), refusal("unavailable", /is another file than the one that was opened/));
  renameSync(`${path}.moved`, path);
  await store.ping();
  await store.close();
});

test("a second server is refused while the first lives; a command line is not", async (t) => {
  const { store, path, clock } = await openFor(t, { exclusive: true });
  await addCallers(store);
  const second = openSqliteStore({ path, clock, exclusive: true });
  await assert.rejects(second, refusal("unavailable", /Another server is running/));
  const commandLine = await openAt(t, { path, clock });
  await commandLine.createOrganization({ by: TESTS, id: "org_cli", name: "cli", createdAt: 1 });
  assert.notEqual(await store.findOrganization({ idOrName: "cli" }), null);
  await commandLine.close();
  await store.close();
  await (await openAt(t, { path, clock, exclusive: true })).close();
});

test("a refused opening lets go of the lock", async (t) => {
  const path = pathFor(t);
  writeFileSync(path, "garbage ".repeat(1000));
  for (let attempt = 0; attempt < 2; attempt++) {
    const opened = openSqliteStore({ path, clock: createHandClock(), exclusive: true });
    await assert.rejects(opened, refusal("failed", /damaged/));
  }
});

test("two that open a new file at once both find it migrated once", async (t) => {
  const path = pathFor(t);
  const clock = createHandClock();
  const stores = await Promise.all([openAt(t, { path, clock }), openAt(t, { path, clock })]);
  const versions = lookInto(path, (database) => database.prepare("select version from schema_version").all());
  assert.deepEqual(
    versions.map((row) => row["version"]),
    versions.map((_, index) => index + 1),
  );
  for (const store of stores) await store.ping();
});

test("the file is in WAL mode, sound, and its journal is cut when it is closed", async (t) => {
  const { store, path } = await openFor(t);
  await addCallers(store);
  await runTurn(store);
  const look = (pragma: string) => lookInto(path, (database) => Object.values(database.prepare(pragma).get() ?? {})[0]);
  assert.equal(look("pragma journal_mode"), "wal");
  assert.ok(journalBytes(path) > 0);
  assert.equal(look("pragma integrity_check"), "ok");
  assert.equal(look("pragma foreign_key_check"), undefined);
  await store.close();
  assert.equal(journalBytes(path), 0);
});
