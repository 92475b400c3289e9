import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { writeWholeFile } from "./new-file.ts";

const folder = mkdtempSync(join(tmpdir(), "turngate-new-file-"));
after(() => rmSync(folder, { recursive: true }));

async function* texts(last?: Error): AsyncGenerator<string> {
  yield "one\n";
  yield `${"two ".repeat(200_000)}\n`;
  if (last !== undefined) throw last;
}

test("a whole file has every text, and is its owner's alone", async () => {
  const file = join(folder, "whole");
  await writeWholeFile(file, texts());
  assert.equal(readFileSync(file, "utf8"), `one\n${"two ".repeat(200_000)}\n`);
  assert.equal(statSync(file).mode & 0o777, 0o600);
});

test("a file that can't be completed is removed", async () => {
  const file = join(folder, "cut");
  await assert.rejects(writeWholeFile(file, texts(new Error("the store is gone"))), /the store is gone/);
  assert.equal(existsSync(file), false);
});

test("a file that exists is left as it is", async () => {
  const file = join(folder, "whole");
  await assert.rejects(writeWholeFile(file, texts(new Error("not read"))), /exists already and is left as it is/);
  assert.equal(existsSync(file), true);
});
