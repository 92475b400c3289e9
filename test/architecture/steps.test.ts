// A statement of the store runs only when its rule waits for it: a call without `yield*` compiles and does nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readModules } from "./modules.ts";

const RULES = /^store\/(accounts|events|histories|money|postgres)\//;
/** A call with the transaction as its first argument that stands alone, as a statement of its own. */
const FORGOTTEN = /^\s*(?:(?:if \(.*\)|else|for \(.*\)) )?(?:\} else )?[a-zA-Z]+\(tx,.*[;{[(]$/gm;

const rules = readModules(new URL("../../src/", import.meta.url).pathname).filter(({ path }) => RULES.test(path));

test("every call in a transaction is waited for", () => {
  assert.ok(rules.length > 25);
  const forgotten = rules.flatMap(({ path, code }) =>
    [...code.matchAll(FORGOTTEN)].map(([line]) => `${path}: ${line}`),
  );
  assert.deepEqual(forgotten, []);
});

test("a call that is not waited for is found", () => {
  for (const line of [
    "  insertKey(tx, { ...key });",
    "  if (x === 1) insertKey(tx, key);",
    "    } else updateLimit(tx, {",
  ]) {
    assert.equal([...line.matchAll(FORGOTTEN)].length, 1, line);
  }
  assert.equal([..."  yield* insertKey(tx, key);".matchAll(FORGOTTEN)].length, 0);
});
