// Migrations are numbered without a gap and without a number twice; those of PostgreSQL that call themselves compatible
// keep no node from a table that has rows.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { concurrentIndexes } from "../../src/store/postgres/database/index-builds.ts";
import { listMigrations } from "../../src/store/postgres/database/migrate.ts";

for (const engine of ["sqlite", "postgres"]) {
  test(`the migrations of ${engine} are numbered one by one`, () => {
    const names = readdirSync(new URL(`../../src/store/${engine}/migrations/`, import.meta.url)).toSorted();
    assert.deepEqual(
      names.map((name) => Number.parseInt(name, 10)),
      names.map((_, index) => index + 1),
    );
  });
}

test("a compatible migration of PostgreSQL makes an index of an older table in a file of indexes alone", () => {
  for (const { name, sql, compatible } of listMigrations()) {
    if (!compatible || concurrentIndexes(sql, "turngate") !== null) continue;
    const added = new Set([...sql.matchAll(/^create table (\w+)/gm)].map(([, table]) => table));
    const held = [...sql.matchAll(/^create (?:unique )?index \w+\s+on (\w+)/gm)].filter(([, on]) => !added.has(on));
    assert.deepEqual([...held, ...sql.matchAll(/^drop index .*/gm)].map(String), [], name);
  }
});
