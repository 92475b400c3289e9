import assert from "node:assert/strict";
import test from "node:test";
import type { JsonObject } from "../../base/json.ts";
import { createCopying } from "./combine-objects.ts";
import { findUnsupported } from "./schema.ts";

test("objects that cannot be written as one schema are found", () => {
  const [a, b] = [{ properties: { a: {} } }, { properties: { b: {} } }];
  const closed = (schema: object) => ({ ...schema, additionalProperties: false });
  const tree = { type: "object", properties: { next: { allOf: [{ $ref: "#/$defs/tree" }, a] } } };
  const found: [JsonObject, string | null][] = [
    [{ anyOf: [a, b], allOf: [{ anyOf: [b, a] }] }, "allOf"],
    [{ anyOf: [a, b], oneOf: [b] }, "oneOf"],
    [{ anyOf: [{ type: "string" }], oneOf: [{ type: "null" }] }, null],
    [{ allOf: [{ anyOf: [a, b] }, a] }, null],
    [{ allOf: [{ $ref: "https://example.com/a" }, a] }, "allOf"],
    [{ $ref: "#/$defs/tree", $defs: { tree } }, "allOf"],
    [{ allOf: [a, { properties: { b: { $ref: "#/allOf/0" } } }] }, "$ref"],
    [{ properties: { a: { $ref: "#/$defs/none" } } }, null],
    [{ allOf: [closed(a), closed(b)] }, "allOf"],
    [{ ...closed(a), allOf: [b] }, "allOf"],
    [{ ...closed(a), allOf: [{ $ref: "#/$defs/b" }], $defs: { b: closed(b) } }, "allOf"],
    [{ ...a, anyOf: [closed(b), b] }, "anyOf"],
    [{ allOf: [closed(a), closed(a)] }, null],
  ];
  for (const [schema, keyword] of found) {
    const expected = keyword === null ? null : { keyword, kind: "combination" };
    assert.deepEqual(findUnsupported(schema), expected, JSON.stringify(schema));
  }
});

test("a schema whose merged parts are too large is named as such, and one of many types with a base is not", () => {
  const base = Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`b${at}`, { description: "x".repeat(100) }]));
  const inheriting = (types: number) => ({
    properties: Object.fromEntries(
      Array.from({ length: types }, (_, at) => [`p${at}`, { $ref: "#/$defs/base", properties: { [`x${at}`]: {} } }]),
    ),
    $defs: { base: { type: "object", properties: base } },
  });
  assert.equal(findUnsupported(inheriting(80)), null);
  assert.deepEqual(findUnsupported(inheriting(800)), { keyword: "allOf", kind: "size" });
  let nested: JsonObject = { properties: { z: {} } };
  for (let level = 0; level < 30; level++) nested = { anyOf: [nested] };
  assert.deepEqual(findUnsupported({ properties: base, required: ["b1"], ...nested }), null);
  const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`p${at}`, {}]));
  assert.deepEqual(findUnsupported({ properties: wide, ...nested }), { keyword: "anyOf", kind: "size" });
});

test("what may be copied is shared by the schemas of a prompt", () => {
  const properties = { a: { description: "x".repeat(400_000) } };
  const schema = { properties, anyOf: [{ properties: { b: {} } }] };
  const copying = createCopying();
  assert.equal(findUnsupported(schema, { copying }), null);
  assert.equal(findUnsupported(schema, { copying }), null);
  assert.deepEqual(findUnsupported(schema, { copying }), { keyword: "anyOf", kind: "size" });
});
