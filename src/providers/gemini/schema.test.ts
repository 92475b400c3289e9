import assert from "node:assert/strict";
import test from "node:test";
import fc from "../../../test/support/fast-check.ts";
import { describeSchema, limitSchema } from "./schema.ts";

type Row = readonly [promise: string, schema: Record<string, unknown>, limited: Record<string, unknown>];

const ROWS: readonly Row[] = [
  ["an empty schema stays empty", {}, {}],
  [
    "what the provider understands stands as it is",
    { type: ["string", "null"], format: "date", title: "T", description: "D", enum: ["a", 1], minItems: 1, minimum: 0 },
    { type: ["string", "null"], format: "date", title: "T", description: "D", enum: ["a", 1], minItems: 1, minimum: 0 },
  ],
  ["const is an enum of one, with its type", { const: "a" }, { enum: ["a"], type: "string" }],
  ["a type that is given stands", { const: 1, type: "integer" }, { enum: [1], type: "integer" }],
  [
    "a constant that is neither text nor number is described in words",
    { const: true },
    { type: "boolean", description: 'Must satisfy {"enum":[true]}' },
  ],
  [
    "an enum of several kinds names them all",
    { enum: ["a", null] },
    { type: ["string", "null"], description: 'Must satisfy {"enum":["a",null]}' },
  ],
  [
    "constraints without a keyword are written into the description",
    { type: "string", description: "A word.", pattern: "^a", minLength: 2 },
    { type: "string", description: 'A word.\nMust satisfy {"pattern":"^a","minLength":2}' },
  ],
  ["what constrains nothing is left out", { $schema: "s", default: 1, examples: [1], "x-order": 1 }, {}],
  [
    "subschemas are rewritten wherever they stand",
    {
      type: "object",
      properties: { kind: { const: "k" }, any: true, list: { items: { const: 1 } } },
      required: ["kind"],
      additionalProperties: { const: "x" },
      anyOf: [{ const: 1 }],
      prefixItems: [{ const: 2 }],
      $defs: { d: { const: 3 } },
    },
    {
      type: "object",
      properties: {
        kind: { enum: ["k"], type: "string" },
        any: {},
        list: { items: { enum: [1], type: "number" } },
      },
      required: ["kind"],
      additionalProperties: { enum: ["x"], type: "string" },
      anyOf: [{ enum: [1], type: "number" }],
      prefixItems: [{ enum: [2], type: "number" }],
      $defs: { d: { enum: [3], type: "number" } },
    },
  ],
  [
    "a closed object stays closed",
    { type: "object", additionalProperties: false },
    { type: "object", additionalProperties: false },
  ],
  [
    "a property may be named like a keyword",
    { properties: { const: { type: "string" }, pattern: {} } },
    { properties: { const: { type: "string" }, pattern: {} } },
  ],
  [
    "beside a reference nothing stands but definitions: other keywords surround it",
    {
      properties: {
        a: { $ref: "#/$defs/a", description: "D" },
        b: { $ref: "#/$defs/a", default: 1, $anchor: "b" },
        c: { $ref: "#/$defs/a", minLength: 2 },
      },
      $defs: { a: { type: "string" } },
    },
    {
      properties: {
        a: { anyOf: [{ $ref: "#/$defs/a" }], description: "D" },
        b: { $ref: "#/$defs/a", $anchor: "b" },
        c: { anyOf: [{ $ref: "#/$defs/a" }], description: 'Must satisfy {"minLength":2}' },
      },
      $defs: { a: { type: "string" } },
    },
  ],
  [
    "a choice beside a reference is described",
    { $ref: "#/$defs/a", anyOf: [{ required: ["b"] }], oneOf: [{ const: 1 }], $defs: { a: {} } },
    {
      anyOf: [{ $ref: "#/$defs/a" }],
      $defs: { a: {} },
      description: 'Must satisfy {"anyOf":[{"required":["b"]}],"oneOf":[{"const":1}]}',
    },
  ],
  [
    "definitions of the older kind are found under the newer name",
    { $ref: "#/definitions/a", definitions: { a: { const: 1 } } },
    { $ref: "#/$defs/a", $defs: { a: { enum: [1], type: "number" } } },
  ],
  [
    "a wrapper around one reference is that reference with its description",
    { title: "T", allOf: [{ $ref: "#/$defs/a", description: "D" }], $defs: { a: {} } },
    { title: "T", anyOf: [{ $ref: "#/$defs/a" }], description: "D", $defs: { a: {} } },
  ],
  [
    "definitions of both kinds are kept, and those of one name are told apart",
    {
      properties: {
        a: { $ref: "#/$defs/a" },
        b: { $ref: "#/definitions/a" },
        c: { $ref: "#/definitions/b~1c" },
        d: { $ref: "#/definitions/b~1c/items" },
      },
      $defs: { a: { type: "string" }, a_1: {}, "b/c": {} },
      definitions: { a: { type: "number" }, "b/c": { items: {} } },
    },
    {
      properties: {
        a: { $ref: "#/$defs/a" },
        b: { $ref: "#/$defs/a_2" },
        c: { $ref: "#/$defs/b~1c_3" },
        d: { $ref: "#/$defs/b~1c_3/items" },
      },
      $defs: { a: { type: "string" }, a_1: {}, "b/c": {}, a_2: { type: "number" }, "b/c_3": { items: {} } },
    },
  ],
  [
    "a reference to what is not sent there is described",
    { properties: { a: { $ref: "#/not/items" }, b: { $ref: "#/$defs/none", description: "D" } }, not: { items: {} } },
    {
      properties: {
        a: { description: 'Must satisfy {"allOf":[{"$ref":"#/not/items"}]}' },
        b: { description: 'D\nMust satisfy {"allOf":[{"$ref":"#/$defs/none"}]}' },
      },
      description: 'Must satisfy {"not":{"items":{}}}',
    },
  ],
  [
    "objects in an allOf are one, beside a reference too",
    {
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a"],
      allOf: [{ $ref: "#/$defs/base" }, { properties: { b: { type: "null" } }, required: ["b"], description: "D" }],
      $defs: { base: { properties: { c: {} } } },
    },
    {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "null" } },
      required: ["a", "b"],
      anyOf: [{ $ref: "#/$defs/base" }],
      $defs: { base: { properties: { c: {} } } },
      description: "D",
    },
  ],
  [
    "of several references the first is sent, and what conflicts is described",
    {
      minimum: 1,
      allOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/b" }, { minimum: 2, maximum: 3 }],
      $defs: { a: {}, b: {} },
    },
    {
      minimum: 1,
      maximum: 3,
      anyOf: [{ $ref: "#/$defs/a" }],
      $defs: { a: {}, b: {} },
      description: 'Must satisfy {"allOf":[{"$ref":"#/$defs/b"},{"minimum":2}]}',
    },
  ],
  [
    "a wrapper around a reference keeps its definitions",
    {
      allOf: [{ $ref: "#/definitions/a" }],
      description: "words",
      definitions: { a: { type: "string", pattern: "x" } },
    },
    {
      anyOf: [{ $ref: "#/$defs/a" }],
      description: "words",
      $defs: { a: { type: "string", description: 'Must satisfy {"pattern":"x"}' } },
    },
  ],
  [
    "closed objects that forbid each other's properties are described",
    {
      properties: {
        a: {
          allOf: [
            { type: "object", properties: { b: {} }, required: ["b"], additionalProperties: false },
            { type: "object", properties: { c: {} }, required: ["c"], additionalProperties: false },
          ],
        },
      },
    },
    {
      properties: {
        a: {
          description:
            'Must satisfy {"allOf":[{"type":"object","properties":{"b":{}},"required":["b"],"additionalProperties":false},' +
            '{"type":"object","properties":{"c":{}},"required":["c"],"additionalProperties":false}]}',
        },
      },
    },
  ],
  ["a wrapper around one schema is both", { title: "T", allOf: [{ type: "string" }] }, { title: "T", type: "string" }],
];

for (const [promise, schema, limited] of ROWS) {
  test(promise, () => {
    const before = structuredClone(schema);
    assert.deepEqual(limitSchema(schema), limited);
    assert.deepEqual(schema, before);
  });
}

test("any JSON sent as a schema is rewritten without an error", () => {
  const keyword = fc.constantFrom(
    "type",
    "enum",
    "const",
    "properties",
    "items",
    "anyOf",
    "allOf",
    "$ref",
    "$defs",
    "not",
    "description",
  );
  const schema = fc.dictionary(keyword, fc.jsonValue());
  fc.assert(fc.property(schema, (value) => void limitSchema(value)));
});

test("values of keys by pattern are those of any key, also in a closed object", () => {
  const pattern = { "^a": { type: "number" } };
  const description = `Must satisfy ${JSON.stringify({ patternProperties: pattern })}`;
  const open = { type: "object", additionalProperties: { type: "number" }, description };
  assert.deepEqual(limitSchema({ type: "object", patternProperties: pattern }), open);
  assert.deepEqual(limitSchema({ type: "object", patternProperties: pattern, additionalProperties: false }), open);
  assert.deepEqual(
    limitSchema({ patternProperties: { a: true, b: { const: 1 } }, additionalProperties: { type: "null" } })
      .additionalProperties,
    { anyOf: [{}, { enum: [1], type: "number" }, { type: "null" }] },
  );
});

test("the description of a format precedes the schema's own, beside a reference too", () => {
  assert.deepEqual(describeSchema({ description: "Own." }, "Given."), { description: "Given.\n\nOwn." });
  assert.deepEqual(describeSchema({ $ref: "#/$defs/a", $defs: {} }, "Given."), {
    anyOf: [{ $ref: "#/$defs/a" }],
    $defs: {},
    description: "Given.",
  });
  assert.deepEqual(describeSchema({ type: "object" }, undefined), { type: "object" });
});
