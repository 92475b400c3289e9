// A property test covers long texts and lists only if its generators reach them.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import fc from "../support/fast-check.ts";

const ROOT = join(import.meta.dirname, "../..");

test("a generator reaches its bound", () => {
  const longest = (drawn: fc.Arbitrary<{ readonly length: number }>) =>
    Math.max(...fc.sample(drawn, { numRuns: 200, seed: 1 }).map(({ length }) => length));
  assert.ok(longest(fc.array(fc.boolean(), { maxLength: 300 })) > 250);
  assert.ok(longest(fc.string({ maxLength: 300 })) > 250);
});

test("every property test imports fast-check from test/support", () => {
  const importers = globSync("{src,test,bench}/**/*.ts", { cwd: ROOT }).filter((path) =>
    /\bfrom "fast-check"/.test(readFileSync(join(ROOT, path), "utf8")),
  );
  assert.deepEqual(importers, ["test/support/fast-check.ts"]);
});
