import assert from "node:assert/strict";
import { test } from "node:test";
import { JSON_DEPTH_MAX, JSON_VALUES_MAX } from "./bounds.ts";
import { excessOf } from "./reply-json.ts";

const nested = (depth: number, end = "") => "[".repeat(depth) + end + "]".repeat(depth);

test("JSON is measured by its levels and values, without reading it", () => {
  assert.equal(excessOf(nested(JSON_DEPTH_MAX)), null);
  assert.equal(excessOf(nested(JSON_DEPTH_MAX + 1)), "nested too deep");
  assert.equal(excessOf(`{"a":${nested(JSON_DEPTH_MAX)}}`), "nested too deep");
  assert.equal(excessOf(`[${"1,".repeat(JSON_VALUES_MAX - 1)}1]`), null);
  assert.equal(excessOf(`[${"1,".repeat(JSON_VALUES_MAX)}1]`), "of too many values");
  assert.equal(excessOf(`[${"{},".repeat(JSON_VALUES_MAX / 2)}{}]`), "of too many values");
});

test("brackets and commas within strings do not count", () => {
  for (const text of ["[".repeat(2_000), String.raw`\"[`.repeat(2_000), ",".repeat(JSON_VALUES_MAX + 1)])
    assert.equal(excessOf(JSON.stringify({ text })), null);
});

test("a text that is no JSON is measured too", () => {
  assert.equal(excessOf('"'.padEnd(3_000, "[")), null);
  assert.equal(excessOf("]".repeat(3_000)), null);
});
