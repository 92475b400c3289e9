// The writer when the disk fails. docs/reliability.md, F-42
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { CallResult } from "./thread.ts";
import { type Connection, openConnection } from "../database/connection.ts";
import { migrate } from "../database/migrate.ts";
import { serveWrites } from "./worker.ts";

/** A writer with a statement, COMMIT by default, that fails with a SQLite result code while one is set. */
function createWriter(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), "turngate-writer-"));
  const settings = { path: join(directory, "test.db"), instanceId: 1, idempotencyRetentionMs: 1, usageParts: 1 };
  const connection = openConnection(settings, "write");
  migrate(connection, 0);
  const fault: { code: number | null; statement: string } = { code: null, statement: "commit" };
  const database = new Proxy(connection.database, {
    get: (target, name) => {
      if (name === "exec") {
        return (sql: string) => {
          if (sql === fault.statement && fault.code !== null)
            throw Object.assign(new Error("injected"), { errcode: fault.code });
          target.exec(sql);
        };
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  t.after(() => {
    connection.database.close();
    rmSync(directory, { recursive: true });
  });
  const noCheckpoint = () => assert.fail("no checkpoint is due");
  const { handleCalls: serve } = serveWrites({ ...connection, database } satisfies Connection, noCheckpoint, () => {});
  let id = 0;
  const add = (): CallResult => {
    const argument = { id: `org_${++id}`, name: `name ${id}`, createdAt: 1, by: { kind: "service", id: "test" } };
    const result: CallResult[] = [];
    serve([[id, "createOrganization", argument, 0]], (results) => result.push(...results));
    assert.equal(result.length, 1);
    return result[0]!;
  };
  const erase = (): Promise<CallResult> => {
    const argument = { olderThanDays: 0, batch: 10, mayBlockWrites: true };
    const { promise, resolve } = Promise.withResolvers<CallResult>();
    serve([[++id, "eraseDeleted", argument, 0]], (results) => results.forEach(resolve));
    return promise;
  };
  const count = () => connection.database.prepare("select count(*) as n from organizations").get()?.["n"];
  return { add, erase, count, fault };
}

const outcomeOf = ([, , error]: CallResult) => error?.kind ?? "ok";

for (const [name, code] of [
  ["a full disk", 13],
  ["a locked file", 5],
  ["a read-only file", 8],
  ["a disk too full for the journal's index", 4874],
] as const) {
  test(`${name} fails the writes that meet it; later writes succeed`, (t) => {
    const { add, count, fault } = createWriter(t);
    fault.code = code;
    assert.equal(outcomeOf(add()), "unavailable");
    assert.equal(count(), 0);
    fault.code = null;
    assert.equal(outcomeOf(add()), "ok");
    assert.equal(count(), 1);
  });
}

test("an I/O error before the commit changes nothing; later writes succeed", (t) => {
  const { add, count, fault } = createWriter(t);
  // SQLITE_IOERR_READ
  Object.assign(fault, { statement: "begin immediate", code: 266 });
  assert.equal(outcomeOf(add()), "unavailable");
  fault.code = null;
  assert.equal(outcomeOf(add()), "ok");
  assert.equal(count(), 1);
});

for (const [name, code] of [
  ["fsync", 1034],
  ["a write at commit", 778],
] as const) {
  // The kernel may have dropped the pages: a later success could not be trusted.
  test(`after ${name} failed no further write is accepted`, (t) => {
    const { add, count, fault } = createWriter(t);
    assert.equal(outcomeOf(add()), "ok");
    fault.code = code;
    assert.equal(outcomeOf(add()), "lost");
    fault.code = null;
    assert.equal(outcomeOf(add()), "lost");
    assert.equal(count(), 1);
  });
}

test("after fsync failed during vacuum no further write is accepted", async (t) => {
  const { add, erase, count, fault } = createWriter(t);
  Object.assign(fault, { statement: "vacuum", code: 1034 });
  assert.equal(outcomeOf(await erase()), "lost");
  fault.code = null;
  assert.equal(outcomeOf(add()), "lost");
  assert.equal(count(), 0);
});
