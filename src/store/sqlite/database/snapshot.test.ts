import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { type Connection, openConnection } from "./connection.ts";
import { keptUntilCommit } from "./kept.ts";
import { openSnapshots } from "./snapshot.ts";
import { change, one } from "./statement.ts";

const folder = mkdtempSync(join(tmpdir(), "turngate-snapshot-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const selectText = one<{ id: number }, { readonly text: string }>("select text from notes where id = :id");
const putText = change<{ id: number; text: string }>("insert or replace into notes (id, text) values (:id, :text)");
const keepNote = keptUntilCommit<{ readonly text: string }>();
/** The event loop goes on: what was read in one go is over. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

let files = 0;

/** A file with one note, a connection that writes and one that reads in snapshots. */
function open() {
  const settings = { path: join(folder, `${++files}.db`), owner: 1, idempotencyRetentionMs: 1 };
  const writer = openConnection(settings, "write");
  writer.database.exec("pragma journal_mode = wal; create table notes (id integer primary key, text text)");
  putText(writer, { id: 1, text: "first" });
  const reader: Connection = { ...openConnection(settings, "read"), kept: [] };
  return { writer, reader, snapshots: openSnapshots(reader) };
}

test("reads of one go share a snapshot, through promises too; the next go sees what was committed", async () => {
  const { writer, reader, snapshots } = open();
  const read = () => {
    snapshots.enter();
    return selectText(reader, { id: 1 })?.text;
  };
  assert.equal(read(), "first");
  putText(writer, { id: 1, text: "second" });
  for (let step = 0; step < 20; step++) await Promise.resolve();
  assert.equal(read(), "first");
  await nextTurn();
  assert.equal(read(), "second");
});

test("what is kept is read once, and again as soon as anybody has committed", async () => {
  const { writer, reader, snapshots } = open();
  let reads = 0;
  const read = (id: number) => {
    snapshots.enter();
    return keepNote(reader, String(id), () => {
      reads++;
      return selectText(reader, { id });
    })?.text;
  };
  assert.equal(read(1), "first");
  await nextTurn();
  assert.equal(read(1), "first");
  assert.equal(reads, 1);
  putText(writer, { id: 2, text: "of another" });
  await nextTurn();
  assert.equal(read(1), "first");
  assert.equal(reads, 2);
  // A miss is not kept: nobody fills the memory with names that do not exist.
  await nextTurn();
  assert.equal(read(3), undefined);
  assert.equal(read(3), undefined);
  assert.equal(reads, 4);
});

test("when the look for commits fails, nothing that was kept is answered", async (context) => {
  const { writer, reader } = open();
  const look = reader.database.prepare("pragma data_version");
  const prepare = reader.database.prepare.bind(reader.database);
  context.mock.method(reader.database, "prepare", (sql: string) =>
    sql === "pragma data_version" ? look : prepare(sql),
  );
  const snapshots = openSnapshots(reader);
  const read = () => {
    snapshots.enter();
    return keepNote(reader, "1", () => selectText(reader, { id: 1 }))?.text;
  };
  assert.equal(read(), "first");
  putText(writer, { id: 1, text: "second" });
  await nextTurn();
  const failing = context.mock.method(look, "get", () => {
    throw new Error("disk I/O error");
  });
  assert.throws(read, /disk I\/O error/);
  // The snapshot is open all the same: what is read in it is read anew.
  assert.equal(read(), "second");
  failing.mock.restore();
  putText(writer, { id: 1, text: "third" });
  await nextTurn();
  assert.equal(read(), "third");
});

test("a connection that does not look for commits keeps nothing", () => {
  const { writer } = open();
  const read = () => keepNote(writer, "1", () => selectText(writer, { id: 1 }))?.text;
  assert.equal(read(), "first");
  putText(writer, { id: 1, text: "second" });
  assert.equal(read(), "second");
});

test("a connection that was closed in one go needs no end of its snapshot", async () => {
  const { reader, snapshots } = open();
  snapshots.enter();
  reader.database.close();
  await nextTurn();
  assert.equal(reader.database.isOpen, false);
});
