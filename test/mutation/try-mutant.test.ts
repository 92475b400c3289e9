import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestRun } from "./test-process.ts";
import { tryMutant } from "./try-mutant.ts";

const MUTANT = { id: "a.ts:0-1:b", path: "a.ts", line: 1, start: 0, end: 1, replacement: "b" };

/** Tries a mutant that one test file reaches, whose runs end as given. */
async function tryOn(...outcomes: TestRun["outcome"][]) {
  const limits: number[] = [];
  const { outcome } = await tryMutant(MUTANT, {
    testsMax: Infinity,
    coverage: [{ file: "a.test.ts", version: "a.test.ts@1", ms: 10_000, unreached: { "a.ts": [] } }],
    noticed: new Map(),
    run: (_file, { msMax }) => {
      limits.push(msMax);
      return Promise.resolve({ outcome: outcomes.shift() ?? "failed", ms: 0 });
    },
  });
  return { outcome, limits };
}

test("a fault is noticed by a hanging test only if it hangs again for twice the time", async () => {
  assert.deepEqual(await tryOn("timeout", "timeout"), { outcome: "timeout", limits: [80_000, 160_000] });
  assert.deepEqual(await tryOn("timeout", "passed"), { outcome: "survived", limits: [80_000, 160_000] });
  assert.deepEqual(await tryOn("timeout", "failed"), { outcome: "killed", limits: [80_000, 160_000] });
  assert.deepEqual(await tryOn("passed"), { outcome: "survived", limits: [80_000] });
});
