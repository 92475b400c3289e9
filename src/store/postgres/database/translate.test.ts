import assert from "node:assert/strict";
import { test } from "node:test";
import { createTranslate, listTables } from "./translate.ts";

const translate = createTranslate("mine", ["threads", "items"]);
const one = (sql: string) => translate({ kind: "one", sql });

test("a parameter has one number, however often it occurs", () => {
  assert.deepEqual(one("select :b, :a, :b + 1, 'x'::text"), {
    text: "select $1, $2, $1 + 1, 'x'::text",
    names: ["b", "a"],
  });
});

test("an alias with a capital is quoted; the type of a cast is not", () => {
  assert.equal(
    one("select cast(a as text) as amount, b as lastId").text,
    'select cast(a as text) as amount, b as "lastId"',
  );
});

test("a limit is bound without the plus", () => {
  assert.equal(one("select 1 limit +:limit").text, "select 1 limit $1");
});

test("the case of letters is ignored where SQLite ignores it", () => {
  assert.equal(one("m.email = :email collate nocase").text, 'lower(m.email) = lower($1 collate "C")');
});

test("an insert returns its id, and a lock locks what it selects", () => {
  assert.equal(
    translate({ kind: "insert", sql: "insert into a values (1)" }).text,
    "insert into a values (1)\nreturning id",
  );
  assert.equal(translate({ kind: "lock", sql: "select 1" }).text, "select 1\nfor no key update");
});

test("tables are named with their schema, aliases and columns are not", () => {
  assert.equal(
    one("select items.id from items\n join threads t on t.id = items.thread_id").text,
    'select items.id from "mine".items\n join "mine".threads t on t.id = items.thread_id',
  );
  assert.equal(one("update threads set a = 1").text, 'update "mine".threads set a = 1');
  assert.equal(
    one("insert into items select 1 from items_by_day").text,
    'insert into "mine".items select 1 from items_by_day',
  );
  assert.equal(one("delete from items").text, 'delete from "mine".items');
});

test("the tables of migrations are found", () => {
  assert.deepEqual(
    listTables([
      { sql: "-- create table c (\ncreate table a (\n  id bigint\n);\ncreate table b (id text);" },
      { sql: "create table d (id text);\ndrop table b;\ncreate table e (id text);" },
    ]),
    ["a", "d", "e"],
  );
});
