// No file has over 300 lines: a longer one holds two subjects, which a reader finds sooner in two files.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "../..");
const LINES_MAX = 300;

/** Generated files and fixtures may have any length; a migration is frozen. */
const EXEMPT = ["bench/package-lock.json", "site/package-lock.json", "src/store/postgres/migrations/0001-initial.sql"];

function linesOf(text: string): number {
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

test("no file has over 300 lines", () => {
  const files = globSync("{src,app/src,test,bench,release,site,bin}/**/*.*", {
    cwd: ROOT,
    exclude: (path) => /(?:^|\/)(?:node_modules|dist)$/.test(path),
  });
  const long = files.filter((path) => linesOf(readFileSync(join(ROOT, path), "utf8")) > LINES_MAX);
  assert.deepEqual(long.sort(), EXEMPT);
});

test("the last line counts with and without a line break after it", () => {
  assert.deepEqual(["a", "a\n", "a\nb", "a\nb\n"].map(linesOf), [1, 1, 2, 2]);
});
