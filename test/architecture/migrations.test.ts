// Migrations are numbered without a gap and without a number twice.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";

for (const engine of ["sqlite", "postgres"]) {
  test(`the migrations of ${engine} are numbered one by one`, () => {
    const names = readdirSync(new URL(`../../src/store/${engine}/migrations/`, import.meta.url)).toSorted();
    assert.deepEqual(
      names.map((name) => Number.parseInt(name, 10)),
      names.map((_, index) => index + 1),
    );
  });
}
