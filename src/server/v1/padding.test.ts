import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../../test/support/fast-check.ts";
import { PADDING_BLOCK_BYTES, padDelta } from "./padding.ts";

const bytesInJson = (json: string) => Buffer.byteLength(json) - 2;

test("a delta's JSON and its padding fill whole blocks, and the padding is never empty", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 100 }), (delta) => {
      const json = JSON.stringify(delta);
      const padding = padDelta(json);
      assert.match(padding, /^[A-Za-z0-9]{1,16}$/);
      assert.equal((bytesInJson(json) + padding.length) % PADDING_BLOCK_BYTES, 0);
    }),
    { numRuns: 2000 },
  );
});

test("escapes and non-ASCII text are measured in bytes", () => {
  assert.equal(padDelta('""').length, 16);
  assert.equal(padDelta('"a"').length, 15);
  assert.equal(padDelta('"é"').length, 14);
  assert.equal(padDelta('"\\n"').length, 14);
  assert.equal(padDelta('"😀"').length, 12);
  assert.equal(padDelta(JSON.stringify("\ud800")).length, 10);
  assert.equal(padDelta(JSON.stringify("x".repeat(16))).length, 16);
});

test("padding does not run out", () => {
  for (let round = 0; round < 20_000; round++) assert.equal(padDelta('"a"').length, 15);
});

test("padding does not repeat itself", () => {
  const seen = new Set(Array.from({ length: 100 }, () => padDelta('"a"')));
  assert.ok(seen.size > 95);
});
