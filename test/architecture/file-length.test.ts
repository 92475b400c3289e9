// No file has over 300 lines: a longer one holds two subjects, which a reader finds sooner in two files. And no file hides
// a few lines from its only reader.
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { readModules } from "./modules.ts";

const ROOT = join(import.meta.dirname, "../..");
const LINES_MAX = 300;

/** Generated files and fixtures may have any length; a migration is frozen. */
const EXEMPT = ["bench/package-lock.json", "site/package-lock.json", "src/store/postgres/migrations/0001-initial.sql"];

/** Below so many lines a file that one neighbour alone imports needs a reason. */
const LINES_OF_A_FILE = 40;

/** Why such files stand alone. One with a test beside it has its reason there. */
const REASONS: Readonly<Record<string, string>> = {
  "providers/wire/undici.ts": "parts of undici that are loaded by themselves",
  "server/shared/logo.ts": "the site of the documents has the logo too",
};
/** The families have the same files, so that each can be read beside the others. */
const FAMILY = /^providers\/(?!wire\/)/;

function linesOf(text: string): number {
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

test("no file has over 300 lines", () => {
  const files = globSync("{packages,src,app/src,test,bench,release,site,bin}/**/*.*", {
    cwd: ROOT,
    exclude: (path) => /(?:^|\/)(?:node_modules|dist)$/.test(path),
  });
  const long = files.filter((path) => linesOf(readFileSync(join(ROOT, path), "utf8")) > LINES_MAX);
  assert.deepEqual(long.sort(), EXEMPT);
});

test("the last line counts with and without a line break after it", () => {
  assert.deepEqual(["a", "a\n", "a\nb", "a\nb\n"].map(linesOf), [1, 1, 2, 2]);
});

test("a file under 40 lines that only one file beside it imports has a reason", () => {
  const modules = readModules(join(ROOT, "src"));
  const importers = Map.groupBy(
    modules.flatMap(({ path, imports }) => imports.map(({ target }) => ({ path, target }))),
    ({ target }) => target,
  );
  const alone = modules.filter(({ path }) => {
    const by = new Set(importers.get(path)?.map((each) => each.path));
    const [only] = by;
    if (by.size !== 1 || only === undefined || dirname(only) !== dirname(path)) return false;
    const file = join(ROOT, "src", path);
    return linesOf(readFileSync(file, "utf8")) < LINES_OF_A_FILE && !existsSync(file.replace(/ts$/, "test.ts"));
  });
  const unexplained = alone.map(({ path }) => path).filter((path) => !FAMILY.test(path));
  assert.deepEqual(unexplained, Object.keys(REASONS).toSorted());
});
