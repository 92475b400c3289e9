import assert from "node:assert/strict";
import test from "node:test";
import { mergeAllOf } from "./merge-schemas.ts";

type Row = readonly [promise: string, schema: Record<string, unknown>, merged: Record<string, unknown>];

const ROWS: readonly Row[] = [
  ["a schema without allOf is as it was", { type: "object", not: {} }, { type: "object", not: {} }],
  ["parts that allow anything add nothing", { title: "T", allOf: [true, {}] }, { title: "T" }],
  ["a part that allows nothing stays", { allOf: [false, 1] }, { allOf: [false, 1] }],
  [
    "an allOf that is no list stays",
    { allOf: [{ allOf: {}, type: "null" }] },
    { type: "null", allOf: [{ allOf: {} }] },
  ],
  [
    "properties and required names of all parts, however deep",
    {
      type: "object",
      properties: { a: {} },
      required: ["a"],
      allOf: [{ properties: { b: {} }, required: ["b", "a"], allOf: [{ type: "object", properties: { c: {} } }] }],
    },
    { type: "object", properties: { a: {}, b: {}, c: {} }, required: ["a", "b"] },
  ],
  [
    "two schemas of one property both count, equal ones once",
    { properties: { a: { type: "string" }, b: {} }, allOf: [{ properties: { a: { minLength: 1 }, b: {} } }] },
    { properties: { a: { allOf: [{ type: "string" }, { minLength: 1 }] }, b: {} } },
  ],
  [
    "so do two schemas of items",
    { items: { type: "string" }, allOf: [{ items: { minLength: 1 } }, { items: { type: "string" } }] },
    { items: { allOf: [{ type: "string" }, { minLength: 1 }] } },
  ],
  [
    "closed objects of the same properties",
    {
      properties: { a: {} },
      allOf: [{ properties: { a: { type: "null" } }, additionalProperties: false, allOf: [{ properties: { a: {} } }] }],
    },
    { properties: { a: { allOf: [{}, { type: "null" }] } }, additionalProperties: false },
  ],
  [
    "unevaluatedProperties of a part sees its own parts",
    {
      type: "object",
      allOf: [{ allOf: [{ properties: { a: {} } }, { required: ["a"] }], unevaluatedProperties: false }],
    },
    { type: "object", properties: { a: {} }, required: ["a"], additionalProperties: false },
  ],
  [
    "unevaluatedProperties sees the parts",
    { unevaluatedProperties: false, properties: { a: {} }, allOf: [{ properties: { b: {} } }] },
    { unevaluatedProperties: false, properties: { a: {}, b: {} } },
  ],
  [
    "rules for other properties stay where they are",
    {
      properties: { a: {} },
      allOf: [
        { type: "object", properties: { b: {} }, required: ["b"], additionalProperties: { type: "null" } },
        { required: ["a"] },
      ],
    },
    {
      type: "object",
      properties: { a: {} },
      required: ["a"],
      allOf: [{ properties: { b: {} }, required: ["b"], additionalProperties: { type: "null" } }],
    },
  ],
  [
    "and so do the properties of parts behind such rules",
    { patternProperties: { a: {} }, allOf: [{ properties: { b: {} }, maxProperties: 2 }] },
    { patternProperties: { a: {} }, maxProperties: 2, allOf: [{ properties: { b: {} } }] },
  ],
  [
    "keywords that belong together are not mixed",
    { if: { const: 1 }, then: {}, prefixItems: [{}], allOf: [{ else: false }, { items: {} }, { contains: {} }] },
    { if: { const: 1 }, then: {}, prefixItems: [{}], contains: {}, allOf: [{ else: false }, { items: {} }] },
  ],
  [
    "types that are in both",
    {
      properties: { a: { type: ["number", "null"], allOf: [{ type: ["integer", "null", "string"] }] } },
      type: ["object", "null"],
      allOf: [{ type: "object" }, { type: "string" }],
    },
    {
      properties: { a: { type: ["number", "null"], allOf: [{ type: ["integer", "null", "string"] }] } },
      type: "object",
      allOf: [{ type: "string" }],
    },
  ],
  ["an integer is a number", { type: "number", allOf: [{ type: "integer" }] }, { type: "integer" }],
  [
    "constraints that are there already, with another value",
    { minLength: 1, enum: ["a"], allOf: [{ minLength: 2, pattern: "a" }, { enum: ["a"] }] },
    { minLength: 1, enum: ["a"], pattern: "a", allOf: [{ minLength: 2 }] },
  ],
  [
    "descriptions one below the other, other annotations of the outer schema",
    { title: "T", description: "A", allOf: [{ title: "U", description: "B", default: 1 }, { description: "A" }] },
    { title: "T", description: "A\n\nB", default: 1 },
  ],
  [
    "definitions of all parts",
    { $defs: { a: {} }, allOf: [{ $defs: { a: { type: "null" }, b: {} }, definitions: { c: {} } }] },
    { $defs: { a: {}, b: {} }, definitions: { c: {} } },
  ],
  [
    "references stay, without what stands beside them",
    { $ref: "#/a", allOf: [{ $ref: "#/b", required: ["a"] }] },
    { $ref: "#/a", required: ["a"], allOf: [{ $ref: "#/b" }] },
  ],
];

for (const [promise, schema, merged] of ROWS) {
  test(promise, () => {
    const before = structuredClone(schema);
    assert.deepEqual(mergeAllOf(schema), merged);
    assert.deepEqual(schema, before);
  });
}

test("what a reference refers to is merged where it may be followed", () => {
  const targets = new Map([
    ["#/a", { properties: { a: {} }, allOf: [{ $ref: "#/b" }] }],
    ["#/b", { required: ["a"] }],
  ]);
  const merged = mergeAllOf({ allOf: [{ $ref: "#/a" }, { $ref: "#/c" }] }, (reference, merge) => {
    const target = targets.get(reference);
    if (target !== undefined) merge(target);
    return target !== undefined;
  });
  assert.deepEqual(merged, { properties: { a: {} }, required: ["a"], allOf: [{ $ref: "#/c" }] });
});

test("no part is merged if a closed object would lose properties that another part names", () => {
  const named = (name: string) => ({ type: "object", properties: { [name]: {} }, required: [name] });
  const closed = (name: string) => ({ ...named(name), additionalProperties: false });
  const schemas = [
    { allOf: [closed("a"), closed("b")] },
    { allOf: [closed("a"), named("b")] },
    { allOf: [named("a"), closed("b")] },
    { ...closed("a"), allOf: [named("b")] },
    { allOf: [{ ...closed("a"), allOf: [named("b")] }] },
    { allOf: [named("a"), { type: "object", additionalProperties: false }] },
    { allOf: [named("a"), { ...named("b"), unevaluatedProperties: false }] },
    { allOf: [named("a"), { allOf: [named("b")], unevaluatedProperties: false }] },
    { allOf: [{ allOf: [named("a")], unevaluatedProperties: false }, named("b")] },
  ];
  for (const schema of schemas) assert.deepEqual(mergeAllOf(schema), schema);
});
