// A getter in an object literal gives every object that it makes a hidden class of its own. Such a class lives until a full collection,
// and what its getter closes over lives with it: a turn's whole state survived every small collection, which then took 20 ms in place
// of 0.2. On the prototype of a class a getter is made once.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";

const SOURCE = join(import.meta.dirname, "../../src");

test("getters and setters stand in classes, not in object literals", () => {
  // What tests alone use makes few objects.
  const files = globSync("**/*.ts", { cwd: SOURCE }).filter((file) => !file.endsWith(".test.ts"));
  const offenders = files.filter((file) => {
    const lines = readFileSync(join(SOURCE, file), "utf8").split("\n");
    let isWithinClass = false;
    return lines.some((line) => {
      if (/^\S/.test(line)) isWithinClass = /^(export )?class /.test(line);
      return !isWithinClass && /^\s+[gs]et \w+\(/.test(line);
    });
  });
  assert.deepEqual(offenders, []);
});
