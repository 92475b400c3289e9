import { DatabaseSync } from "node:sqlite";
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Connection } from "./connection.ts";
import { many, one } from "./statement.ts";

const settings = { path: ":memory:", owner: 1, idempotencyRetentionMs: 1 };

function memory(): Connection {
  return { database: new DatabaseSync(":memory:"), settings, statements: [], kept: null };
}

test("parameters are bound where their names stand, as often as they stand", () => {
  const select = one<{ first: number; other: string }, { a: number; b: string; c: number }>(
    "select :first as a, :other as b, :first + 1 as c",
  );
  const connection = memory();
  assert.deepEqual(select(connection, { first: 1, other: "x" }), { a: 1, b: "x", c: 2 });
  assert.deepEqual(select(connection, { other: "y", first: 5 }), { a: 5, b: "y", c: 6 });
});

test("a bound limit counts, and is refused where it would have every call planned anew", () => {
  const rows = "with recursive n(v) as (values (1) union all select v + 1 from n where v < 9) select v from n";
  const select = many<{ limit: number }, { v: number }>(`${rows} limit +:limit`);
  assert.deepEqual(select(memory(), { limit: 2 }), [{ v: 1 }, { v: 2 }]);
  assert.throws(() => many<{ limit: number }, { v: number }>(`${rows} limit :limit`), /limit \+:name/);
});
