// The texts of merged statements.
import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeText } from "./merge.ts";

const plain = (text: string | undefined) => text?.replaceAll(/\s+/g, " ").trim();
const LISTS = "unnest($1::bigint[], $2::text[]) with ordinality as u(p1, p2, execution)";
const merge = (kind: Parameters<typeof mergeText>[0], text: string) =>
  plain(mergeText(kind, text)?.(["bigint", "text"]));

test("a select runs once for each execution, and its rows say for which", () => {
  assert.equal(
    merge("one", "select a from t where id = $1 and b = $2"),
    `select u.execution as "executionNumber", q.* from ${LISTS} cross join lateral (select a from t where id = u.p1 and b = u.p2) q`,
  );
  assert.match(
    merge("lock", "select id from t where id = $1 for no key update") ?? "",
    /where id = u\.p1 for no key update\) q$/,
  );
});

test("an insert inserts a row for each execution, in their order", () => {
  assert.equal(
    merge("insert", "insert into t (a, b, c) values ($1, 'x', $2) returning id"),
    `insert into t (a, b, c) select u.p1, 'x', u.p2 from ${LISTS} order by u.execution returning id`,
  );
});

test("an update changes the row of each execution", () => {
  assert.equal(
    merge("write", "update t set a = a + $1 where id = $2 and done is null"),
    `update t set a = a + u.p1 from ${LISTS} where id = u.p2 and done is null`,
  );
});

test("other statements are not merged", () => {
  for (const [kind, text] of [
    ["insert", "insert into t (a) values ($1) on conflict do nothing returning id"],
    ["write", "insert into t (a) select a from s where id = $1"],
    ["write", "insert into t (a) values (coalesce($1, 0))"],
    ["write", "update t set a = (select max(a) from t) where id = $1"],
    ["write", "update t set a = 1 where id = (select id from s where b = $2)"],
    ["write", "delete from t where id = $1"],
    ["change", "update t set a = $1 where id = $2"],
    ["many", "with s as (select 1) select a from t where id = $1"],
  ] as const) {
    assert.equal(mergeText(kind, text), null, text);
  }
});
