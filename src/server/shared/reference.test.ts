// docs/reliability.md, A-8
import assert from "node:assert/strict";
import { test } from "node:test";
import { referencePages } from "./reference.ts";

test("the document is built once, however many requests arrive meanwhile, and again after a failure", async () => {
  let built = 0;
  const [document] = referencePages(async () => {
    if (++built === 1) throw new Error("a first attempt that fails");
    return { built };
  });
  assert.ok(document);
  await assert.rejects(document.read());
  const read = await Promise.all(Array.from({ length: 3 }, () => document.read()));
  assert.deepEqual(
    read.map((bytes) => JSON.parse(Buffer.from(bytes).toString())),
    Array.from({ length: 3 }, () => ({ built: 2 })),
  );
});
