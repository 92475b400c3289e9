// A command whose output can't be written: no stack trace, and no success.
import assert from "node:assert/strict";
import { closeSync, openSync } from "node:fs";
import { test } from "node:test";
import { commandLineForFile, readOutcome } from "./command-line.ts";

const line = commandLineForFile();

for (const words of [["openapi"], ["--help"]]) {
  test(`${words.join(" ")}: a reader that closed the pipe has what it wanted`, async () => {
    const child = line.start(words);
    child.stdout?.destroy();
    const { code, stderr } = await readOutcome(child);
    assert.deepEqual([code, stderr], [0, ""]);
  });
}

const noDisk = process.platform === "linux" ? false : "only Linux has /dev/full";
test("a command that cannot write its secret fails", { skip: noDisk }, async () => {
  const full = openSync("/dev/full", "w");
  const { code, stderr } = await readOutcome(line.start(["keys", "mint"], {}, full));
  closeSync(full);
  assert.equal(code, 1);
  assert.match(stderr, /^error: the output can't be written: ENOSPC: .*\n$/);
});
