// `npm test` runs every test file once: by itself, or in one group.
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import manifest from "../../package.json" with { type: "json" };
import { GROUPS } from "../groups/groups.ts";

const cwd = join(import.meta.dirname, "../..");
const alone = [...manifest.scripts.test.matchAll(/"([^"]+)"/g)].flatMap(([, pattern]) =>
  globSync(pattern ?? "", { cwd }),
);

test("npm test runs every test file once", () => {
  const run = [...alone, ...Object.values(GROUPS).flatMap((patterns) => globSync(patterns, { cwd }))];
  assert.deepEqual(run.sort(), globSync("{packages,src,app/src,bench/scale,test}/**/*.test.ts", { cwd }).sort());
});

test("each group has its file, and no pattern is without files", () => {
  const files = globSync("test/groups/*.test.ts", { cwd }).map((file) => basename(file, ".test.ts"));
  assert.deepEqual(files.sort(), Object.keys(GROUPS).sort());
  for (const pattern of Object.values(GROUPS).flat()) assert.notDeepEqual(globSync(pattern, { cwd }), [], pattern);
});
