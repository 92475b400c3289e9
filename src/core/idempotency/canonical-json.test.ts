import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../../test/support/fast-check.ts";
import { canonicalJson } from "./canonical-json.ts";

/** The same value with every object's keys in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, child]) => [key, reversed(child)]),
  );
}

test("keys are sorted by code units at every depth, without white space", () => {
  assert.equal(
    canonicalJson({ b: [{ z: 1, a: "x y" }], a: null, B: true }),
    '{"B":true,"a":null,"b":[{"a":"x y","z":1}]}',
  );
});

test("key order does not matter, list order does", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) =>
      assert.equal(canonicalJson(value), canonicalJson(reversed(value))),
    ),
    { numRuns: 60 },
  );
  assert.notEqual(canonicalJson([1, 2]), canonicalJson([2, 1]));
});

test("the text parses to the same value", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const plain: unknown = JSON.parse(JSON.stringify(value));
      assert.deepEqual(JSON.parse(canonicalJson(plain)), plain);
    }),
    { numRuns: 60 },
  );
});

test("a key __proto__ counts", () => {
  assert.notEqual(canonicalJson(JSON.parse('{"__proto__":1}')), canonicalJson({}));
});
