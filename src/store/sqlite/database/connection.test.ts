import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { change, insert, lock, many, one } from "../../engine/statement.ts";
import { runAtOnce, type Transaction } from "../../engine/transaction.ts";
import { createExecute } from "./connection.ts";

function memory(): Transaction {
  const database = new DatabaseSync(":memory:");
  database.exec("create table notes (id integer primary key, text text unique)");
  const settings = { instanceId: 1, idempotencyRetentionMs: 1, usageParts: 1 };
  return { settings, commitCache: null, buffers: [], execute: createExecute(database) };
}

test("parameters are bound at every occurrence of their names", () => {
  const select = one<{ first: number; other: string }, { a: number; b: string; c: number }>(
    "select :first as a, :other as b, :first + 1 as c",
  );
  const tx = memory();
  assert.deepEqual(runAtOnce(select(tx, { first: 1, other: "x" })), { a: 1, b: "x", c: 2 });
  assert.deepEqual(runAtOnce(select(tx, { other: "y", first: 5 })), { a: 5, b: "y", c: 6 });
});

test("a bound limit works, and is rejected in the form that would plan every call again", () => {
  const rows = "with recursive n(v) as (values (1) union all select v + 1 from n where v < 9) select v from n";
  const select = many<{ limit: number }, { v: number }>(`${rows} limit +:limit`);
  assert.deepEqual(runAtOnce(select(memory(), { limit: 2 })), [{ v: 1 }, { v: 2 }]);
  assert.throws(() => many<{ limit: number }, { v: number }>(`${rows} limit :limit`), /limit \+:name/);
});

test("an insert returns the id of its row, 0 when there was a conflict; a change returns how many rows it changed", () => {
  const tx = memory();
  const put = insert<{ text: string }>("insert into notes (text) values (:text) on conflict do nothing");
  const touch = change<{ text: string }>("update notes set text = text || '!' where text <> :text");
  assert.deepEqual(runAtOnce(put(tx, { text: "a" })), { changes: 1, id: 1 });
  assert.deepEqual(runAtOnce(put(tx, { text: "b" })), { changes: 1, id: 2 });
  assert.deepEqual(runAtOnce(put(tx, { text: "b" })), { changes: 0, id: 0 });
  assert.equal(runAtOnce(touch(tx, { text: "c" })).changes, 2);
});

test("a lock is not executed: there is one writer", () => {
  const tx = memory();
  assert.equal(runAtOnce(lock<{ id: number }>("select nothing from nowhere where id = :id")(tx, { id: 1 })), undefined);
});
