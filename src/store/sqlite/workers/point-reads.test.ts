import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { type Connection, openConnection } from "../database/connection.ts";
import { cacheUntilCommit } from "../../engine/read-cache.ts";
import { runAtOnce } from "../../engine/transaction.ts";
import { openSnapshots } from "./point-reads.ts";
import { change, one } from "../../engine/statement.ts";

const folder = mkdtempSync(join(tmpdir(), "turngate-snapshot-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const selectText = one<{ id: number }, { readonly text: string }>("select text from notes where id = :id");
const putText = change<{ id: number; text: string }>("insert or replace into notes (id, text) values (:id, :text)");
const cacheNote = cacheUntilCommit<{ readonly text: string }>();
/** Ends the current turn of the event loop, and the snapshot with it. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

let files = 0;

/** A file with one note, a connection that writes and one that reads in snapshots. */
function open() {
  const settings = { path: join(folder, `${++files}.db`), instanceId: 1, idempotencyRetentionMs: 1, usageParts: 1 };
  const writer = openConnection(settings, "write");
  writer.database.exec("pragma journal_mode = wal; create table notes (id integer primary key, text text)");
  runAtOnce(putText(writer, { id: 1, text: "first" }));
  const reader: Connection = { ...openConnection(settings, "read"), commitCache: [] };
  return { writer, reader, snapshots: openSnapshots(reader) };
}

test("reads of one turn of the event loop share a snapshot, across promises too; the next turn sees new commits", async () => {
  const { writer, reader, snapshots } = open();
  const read = () => {
    snapshots.enter();
    return runAtOnce(selectText(reader, { id: 1 }))?.text;
  };
  assert.equal(read(), "first");
  runAtOnce(putText(writer, { id: 1, text: "second" }));
  for (let step = 0; step < 20; step++) await Promise.resolve();
  assert.equal(read(), "first");
  await nextTurn();
  assert.equal(read(), "second");
});

test("a cached row is read once, and again after any commit", async () => {
  const { writer, reader, snapshots } = open();
  let reads = 0;
  const read = (id: number) => {
    snapshots.enter();
    const note = cacheNote(reader, String(id), () => {
      reads++;
      return selectText(reader, { id });
    });
    return runAtOnce(note)?.text;
  };
  assert.equal(read(1), "first");
  await nextTurn();
  assert.equal(read(1), "first");
  assert.equal(reads, 1);
  runAtOnce(putText(writer, { id: 2, text: "of another" }));
  await nextTurn();
  assert.equal(read(1), "first");
  assert.equal(reads, 2);
  // Misses are not cached: unknown names must not fill the memory.
  await nextTurn();
  assert.equal(read(3), undefined);
  assert.equal(read(3), undefined);
  assert.equal(reads, 4);
});

test("when data_version cannot be read, no cached row is returned", async (context) => {
  const { writer, reader } = open();
  const version = reader.database.prepare("pragma data_version");
  const prepare = reader.database.prepare.bind(reader.database);
  context.mock.method(reader.database, "prepare", (sql: string) =>
    sql === "pragma data_version" ? version : prepare(sql),
  );
  const snapshots = openSnapshots(reader);
  const read = () => {
    snapshots.enter();
    return runAtOnce(cacheNote(reader, "1", () => selectText(reader, { id: 1 })))?.text;
  };
  assert.equal(read(), "first");
  runAtOnce(putText(writer, { id: 1, text: "second" }));
  await nextTurn();
  const failing = context.mock.method(version, "get", () => {
    throw new Error("disk I/O error");
  });
  assert.throws(read, /disk I\/O error/);
  // The snapshot is open all the same; its reads bypass the cache.
  assert.equal(read(), "second");
  failing.mock.restore();
  runAtOnce(putText(writer, { id: 1, text: "third" }));
  await nextTurn();
  assert.equal(read(), "third");
});

test("a connection that does not look for commits keeps nothing", () => {
  const { writer } = open();
  const read = () => runAtOnce(cacheNote(writer, "1", () => selectText(writer, { id: 1 })))?.text;
  assert.equal(read(), "first");
  runAtOnce(putText(writer, { id: 1, text: "second" }));
  assert.equal(read(), "second");
});

test("a connection may be closed while its snapshot is open", async () => {
  const { reader, snapshots } = open();
  snapshots.enter();
  reader.database.close();
  await nextTurn();
  assert.equal(reader.database.isOpen, false);
});
