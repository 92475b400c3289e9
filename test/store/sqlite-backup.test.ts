// Backups of the embedded store: `backUp` and `restore` of its engine. See docs/operations.md
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { StoreError } from "../../src/ports/store/store.ts";
import { backUp, restore } from "../../src/store/sqlite/backup.ts";
import { addCallers, createManualClock, runResponse, says } from "./fixtures.ts";
import { withDatabase } from "./raw-database.ts";
import { openAt, openFor, pathFor } from "./sqlite-files.ts";

const SILENT = () => {};
const ADMIT = { admit: SILENT, onProgress: SILENT };

const refusal = (words: RegExp) => (error: unknown) => error instanceof StoreError && words.test(error.message);

/** A store with some responses, closed. */
async function filled(t: TestContext): Promise<string> {
  const { store, path } = await openFor(t);
  await addCallers(store);
  for (let turn = 0; turn < 3; turn++) await runResponse(store, { input: [says(`turn ${turn}`)] });
  await store.close();
  return path;
}

const countResponses = (path: string) =>
  withDatabase(path, (database) =>
    Number(database.prepare("select count(*) as count from responses").get()?.["count"]),
  );

test("a backup beside a writing service holds the state of one moment", async (t) => {
  const { store, path } = await openFor(t, { exclusive: true });
  await addCallers(store);
  for (let turn = 0; turn < 20; turn++) await runResponse(store);
  const file = join(dirname(path), "backup.db");
  const over = new AbortController();
  let written = 0;
  const writing = (async () => {
    for (; !over.signal.aborted; written++) await runResponse(store);
  })();
  const { rows, schemaVersion, bytes } = await backUp(path, file, SILENT);
  over.abort();
  await writing;
  assert.ok(written > 0, "the test wrote nothing meanwhile");
  assert.ok((rows["responses"] ?? 0) >= 20 && (rows["responses"] ?? 0) <= 20 + written, String(rows["responses"]));
  assert.equal(countResponses(file), rows["responses"]);
  assert.equal(bytes, statSync(file).size);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.ok(schemaVersion > 0);
  const beside = readdirSync(dirname(path)).filter((name) => name.startsWith("backup.db"));
  assert.deepEqual(beside, ["backup.db", "backup.db.sha256"], "nothing else is left beside the backup");
  // Each response has both of its items or none.
  const copied = await openAt(t, { location: file, clock: createManualClock() });
  assert.deepEqual((await copied.reconcile({ organizationId: null })).differences, []);
});

test("what a crash left in the journal is in the backup", async (t) => {
  const { store, path } = await openFor(t);
  await addCallers(store);
  await runResponse(store);
  const crashed = join(dirname(path), "crashed", "turngate.db");
  mkdirSync(dirname(crashed));
  for (const suffix of ["", "-wal"]) copyFileSync(`${path}${suffix}`, `${crashed}${suffix}`);
  const file = join(dirname(path), "backup.db");
  const { rows } = await backUp(crashed, file, SILENT);
  assert.equal(rows["responses"], 1);
  assert.equal(countResponses(file), 1);
});

test("an existing file is never replaced, and a missing database is not created", async (t) => {
  const path = await filled(t);
  const file = join(dirname(path), "backup.db");
  writeFileSync(file, "precious");
  await assert.rejects(backUp(path, file, SILENT), refusal(/backup\.db exists already and is left as it is/));
  assert.equal(readFileSync(file, "utf8"), "precious");
  await assert.rejects(backUp(path, path, SILENT), refusal(/exists already/));
  const missing = join(dirname(path), "missing.db");
  await assert.rejects(backUp(missing, join(dirname(path), "b.db"), SILENT), refusal(/There is no database/));
  assert.equal(existsSync(missing), false);
});

test("a file that appears during the backup is never replaced", async (t) => {
  const path = await filled(t);
  const file = join(dirname(path), "backup.db");
  const appear = () => writeFileSync(file, "precious");
  await assert.rejects(backUp(path, file, appear), refusal(/backup\.db can't be written: EEXIST/));
  assert.equal(readFileSync(file, "utf8"), "precious");
  const beside = readdirSync(dirname(path)).filter((name) => name.startsWith("backup.db"));
  assert.deepEqual(beside, ["backup.db"]);
});

test("damage is found, and no backup is left", async (t) => {
  const path = await filled(t);
  damage(path);
  const file = join(dirname(path), "backup.db");
  await assert.rejects(backUp(path, file, SILENT), refusal(/damaged/));
  assert.deepEqual(
    readdirSync(dirname(path)).filter((name) => name.startsWith("backup.db")),
    [],
  );
});

/** Changes the type of a leaf page in the middle of the table of items. */
function damage(path: string): void {
  const page = withDatabase(path, (database) => {
    database.exec("pragma wal_checkpoint(truncate)");
    return Number(
      database.prepare("select rootpage as page from sqlite_schema where name = 'responses'").get()?.["page"],
    );
  });
  const bytes = readFileSync(path);
  bytes.fill(0xa5, (page - 1) * 4096, page * 4096);
  writeFileSync(path, bytes);
}

test("a restored backup has what was stored, and opens as a store", async (t) => {
  const path = await filled(t);
  const file = join(dirname(path), "backup.db");
  const saved = await backUp(path, file, SILENT);
  const target = join(dirname(path), "new", "data", "turngate.db");
  const restored = await restore(file, target, ADMIT);
  assert.deepEqual(restored.rows, saved.rows);
  assert.equal(statSync(target).mode & 0o777, 0o600);
  assert.equal(statSync(dirname(target)).mode & 0o077, 0);
  const store = await openAt(t, { location: target, clock: createManualClock(), exclusive: true });
  await runResponse(store);
  assert.equal(countResponses(target), 4);
});

test("a restore is rejected beside a service, over a database and over a journal", async (t) => {
  const path = await filled(t);
  const file = join(dirname(path), "backup.db");
  await backUp(path, file, SILENT);
  await assert.rejects(restore(file, path, ADMIT), refusal(/test\.db exists already/));
  assert.equal(countResponses(path), 3);
  const orphaned = join(dirname(path), "orphaned.db");
  writeFileSync(`${orphaned}-wal`, "of another database");
  await assert.rejects(restore(file, orphaned, ADMIT), refusal(/orphaned\.db-wal exists already/));
  await openAt(t, { location: path, clock: createManualClock(), exclusive: true });
  await assert.rejects(restore(file, path, ADMIT), refusal(/Another server is running/));
});

test("a file that is no whole database of this service is not restored", async (t) => {
  const path = await filled(t);
  const folder = dirname(path);
  const target = join(folder, "target.db");
  const variant = async (name: string, change: (file: string) => void) => {
    const file = join(folder, name);
    await backUp(path, file, SILENT);
    rmSync(`${file}.sha256`);
    change(file);
    return file;
  };
  const sql = (text: string) => (file: string) => withDatabase(file, (database) => database.exec(text));
  const cases = [
    [join(folder, "none.db"), /There is no file/],
    [
      await variant("text.db", (file) => writeFileSync(file, "no database at all ".repeat(300))),
      /damaged or not a database/,
    ],
    [await variant("empty.db", (file) => writeFileSync(file, "")), /not a database of Turngate/],
    [await variant("theirs.db", sql("pragma application_id = 7")), /not a database of Turngate/],
    [await variant("damaged.db", damage), /damaged/],
    [
      await variant("later.db", sql("insert into schema_version values (1000, 'later', 0, 'x', 0)")),
      /written by a later version/,
    ],
    [
      await variant("changed.db", sql("update schema_version set checksum = 'x' where version = 1")),
      /was changed after/,
    ],
    [
      await variant("untriggered.db", sql("drop trigger audit_log_never_goes")),
      /its trigger audit_log_never_goes is missing or was changed/,
    ],
    [await variant("dropped.db", sql("drop table sessions")), /its table sessions is missing/],
    [
      await variant("stray.db", sql("pragma foreign_keys = off; delete from organizations")),
      /refers to a row that is missing/,
    ],
  ] as const;
  for (const [file, words] of cases) {
    await assert.rejects(restore(file, target, ADMIT), refusal(words), file);
    assert.equal(existsSync(target), false, file);
  }
});

test("a secret that is not admitted stops the restore before anything is written", async (t) => {
  const path = await filled(t);
  const file = join(dirname(path), "backup.db");
  await backUp(path, file, SILENT);
  const target = join(dirname(path), "target.db");
  const seen: unknown[] = [];
  const admit = (secretCheck: string | null) => {
    seen.push(secretCheck);
    throw new StoreError("failed", "another secret");
  };
  await assert.rejects(restore(file, target, { admit, onProgress: SILENT }), refusal(/another secret/));
  assert.deepEqual(seen, [null]);
  assert.equal(existsSync(target), false);
});

test("a backup can be restored from where nothing can be written", async (t) => {
  const path = pathFor(t);
  const store = await openAt(t, { location: path, clock: createManualClock() });
  await addCallers(store);
  await store.close();
  const file = join(dirname(path), "backup.db");
  await backUp(path, file, SILENT);
  const mode = withDatabase(file, (database) => database.prepare("pragma journal_mode").get()?.["journal_mode"]);
  assert.equal(mode, "delete", "a WAL would have to be created beside the file");
});

test("a backup has its checksum beside it, which a restore compares; one without is restored too", async (t) => {
  const path = await filled(t);
  const folder = dirname(path);
  const file = join(folder, "backup.db");
  const { sha256 } = await backUp(path, file, SILENT);
  assert.equal(readFileSync(`${file}.sha256`, "utf8"), `${sha256}  backup.db\n`);
  assert.equal(sha256, createHash("sha256").update(readFileSync(file)).digest("hex"));
  assert.equal((await restore(file, join(folder, "one.db"), ADMIT)).sha256, sha256);

  const bytes = readFileSync(file);
  const at = bytes.indexOf("turn 1");
  assert.ok(at > 0);
  bytes.write("TURN 1", at);
  writeFileSync(file, bytes);
  const two = join(folder, "two.db");
  await assert.rejects(restore(file, two, ADMIT), refusal(/backup\.db was changed after its backup/));
  writeFileSync(`${file}.sha256`, "no checksum");
  await assert.rejects(restore(file, two, ADMIT), refusal(/backup\.db\.sha256 is not a checksum/));
  assert.equal(existsSync(two), false);
  rmSync(`${file}.sha256`);
  assert.equal((await restore(file, two, ADMIT)).sha256, null);
});

test("the checksum of a backup that was moved away is replaced; a checksum that can't be written leaves no backup", async (t) => {
  const path = await filled(t);
  const file = join(dirname(path), "backup.db");
  await backUp(path, file, SILENT);
  renameSync(file, `${file}.old`);
  const { sha256 } = await backUp(path, file, SILENT);
  assert.equal(readFileSync(`${file}.sha256`, "utf8").slice(0, 64), sha256);
  const other = join(dirname(path), "other.db");
  const appear = () => writeFileSync(`${other}.sha256`, "precious");
  await assert.rejects(backUp(path, other, appear), refusal(/other\.db\.sha256 can't be written: EEXIST/));
  assert.deepEqual([existsSync(other), readFileSync(`${other}.sha256`, "utf8")], [false, "precious"]);
});

test("what a killed backup left goes with the next one; a running one's file stays", async (t) => {
  const path = await filled(t);
  const folder = dirname(path);
  // No process has a number this large.
  const names = ["a.db.4999999.turngate-part", "a.db.4999999.turngate-part-journal", "mine.4999999.part"];
  const fresh = "b.db.4999999.turngate-part";
  const running = `c.db.${process.pid}.turngate-part`;
  const longAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
  for (const name of [...names, fresh, running]) {
    writeFileSync(join(folder, name), "half");
    if (name !== fresh) utimesSync(join(folder, name), longAgo, longAgo);
  }
  await backUp(path, join(folder, "backup.db"), SILENT);
  const left = readdirSync(folder).filter((name) => name.endsWith("part") || name.endsWith("-journal"));
  assert.deepEqual(left.sort(), [fresh, running, "mine.4999999.part"].sort());
});
