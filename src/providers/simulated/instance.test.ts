import assert from "node:assert/strict";
import test from "node:test";
import fc from "../../../test/support/fast-check.ts";
import Schema from "typebox/schema";
import { createArguments, createInstance } from "./instance.ts";

type JsonSchema = Record<string, unknown>;

const string = { type: "string" };
const SATISFIABLE: readonly JsonSchema[] = [
  {},
  {
    type: "object",
    properties: { a: string, b: { type: "integer" } },
    required: ["b", "a"],
    additionalProperties: false,
  },
  { type: "object", properties: { a: string }, minProperties: 2 },
  { type: "object", required: ["free"] },
  { type: ["null", "string"] },
  { enum: ["x", 4, null] },
  { const: { deep: [1] } },
  { type: "string", minLength: 9, maxLength: 12 },
  { type: "string", maxLength: 2 },
  { type: "string", pattern: "^[A-Z]{2}\\d+$", minLength: 6 },
  { type: "integer", minimum: 3, maximum: 3 },
  { type: "integer", exclusiveMinimum: 3, multipleOf: 5 },
  { type: "integer", maximum: -7 },
  { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 0.5 },
  { type: "number", minimum: 0.25, multipleOf: 0.5 },
  { type: "boolean" },
  { type: "null" },
  { type: "array", items: string, minItems: 3, uniqueItems: true },
  { type: "array", items: { type: "integer", minimum: 1, maximum: 4 }, minItems: 4, uniqueItems: true },
  {
    type: "array",
    items: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
    minItems: 2,
    uniqueItems: true,
  },
  { type: "array", prefixItems: [string, { type: "integer" }], items: false, minItems: 2 },
  { type: "array", items: [string, { type: "integer" }], additionalItems: false, minItems: 2 },
  { type: "array", items: [string], additionalItems: { type: "number" }, minItems: 3 },
  { type: "array", contains: { const: 7 } },
  { anyOf: [{ type: "integer", minimum: 5, maximum: 4 }, { type: "boolean" }] },
  { oneOf: [{ type: "object", properties: { kind: { const: "a" } }, required: ["kind"] }] },
  {
    allOf: [
      { type: "object", properties: { a: string }, required: ["a"] },
      { properties: { b: string }, required: ["b"] },
    ],
  },
  { allOf: [{ type: "integer", minimum: 2 }, { minimum: 5 }, { maximum: 9 }] },
  { $ref: "#/$defs/a~1b", $defs: { "a/b": { type: "integer", minimum: 9 } } },
  {
    type: "object",
    properties: { left: { $ref: "#/$defs/node" } },
    required: ["left"],
    $defs: {
      node: {
        anyOf: [
          {
            type: "object",
            properties: { left: { $ref: "#/$defs/node" }, right: { $ref: "#/$defs/node" } },
            required: ["left", "right"],
          },
          { type: "object", properties: { leaf: { type: "integer" } }, required: ["leaf"] },
        ],
      },
    },
  },
  { type: "object", properties: { children: { type: "array", items: { $ref: "#" } } }, required: ["children"] },
  { type: "object", properties: { next: { anyOf: [{ $ref: "#" }, { type: "null" }] } }, required: ["next"] },
  JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__","constructor"]}'),
];

test("an instance satisfies its schema", () => {
  for (const schema of SATISFIABLE) {
    const instance = JSON.parse(JSON.stringify(createInstance(schema)));
    assert.ok(
      Schema.Check(schema as Schema.XSchema, instance),
      `${JSON.stringify(schema)} → ${JSON.stringify(instance)}`,
    );
  }
});

test("an instance of every common format satisfies it", () => {
  const formats = [
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "uuid",
    "uri",
    "json-pointer",
  ];
  for (const format of formats) {
    const instance = createInstance({ type: "string", format });
    assert.ok(Schema.Check({ type: "string", format } as Schema.XSchema, instance), `${format} → ${String(instance)}`);
  }
});

test("an instance has only required properties, in schema order; a nullable field has its other type", () => {
  const schema = {
    type: "object",
    properties: { city: string, unit: { enum: ["C", "F"] }, note: string, days: { type: ["integer", "null"] } },
    required: ["days", "city", "unit"],
  };
  assert.equal(JSON.stringify(createInstance(schema)), '{"city":"text","unit":"C","days":0}');
});

test("a schema without an instance gives null quickly", () => {
  const endless = {
    anyOf: Array.from({ length: 9 }, () => ({ $ref: "#/$defs/a" })),
    $defs: {
      a: { type: "object", properties: { b: { $ref: "#/$defs/b" } }, required: ["b"] },
      b: { allOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/a" }] },
    },
  };
  const unsatisfiable: JsonSchema[] = [
    { $ref: "#" },
    { $ref: "#/nowhere" },
    { $ref: "#/%" },
    { $ref: "#/%ff" },
    { $ref: "other.json" },
    { type: "integer", minimum: 5, maximum: 4 },
    { enum: [] },
    { anyOf: [] },
    { type: "string", minLength: 3, maxLength: 2 },
    { type: "object", properties: { self: { $ref: "#" } }, required: ["self"] },
    endless,
  ];
  for (const schema of unsatisfiable) assert.equal(createInstance(schema), null, JSON.stringify(schema));
});

test("arguments are always an object", () => {
  assert.deepEqual(createArguments(null), {});
  assert.deepEqual(createArguments({ type: "string" }), {});
  assert.deepEqual(createArguments({ type: "object", properties: { a: string }, required: ["a"] }), { a: "text" });
});

const { schema: anySchema } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<JsonSchema>(string, { type: "integer" }, { type: "boolean" }, { enum: ["a", 1] }, { type: "null" }),
    fc.record({
      type: fc.constant("integer"),
      minimum: fc.integer({ min: -50, max: 0 }),
      maximum: fc.integer({ min: 0, max: 50 }),
    }),
    fc.record({ type: fc.constant("string"), minLength: fc.nat(5), maxLength: fc.integer({ min: 5, max: 9 }) }),
    fc.record({ type: fc.constant("array"), items: tie("schema"), minItems: fc.nat(3) }),
    fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    fc.dictionary(fc.constantFrom("a", "b", "c"), tie("schema")).map((properties) => ({
      type: "object",
      properties,
      required: Object.keys(properties),
      additionalProperties: false,
    })),
    tie("schema").map((inner) => ({ $ref: "#/$defs/inner", $defs: { inner } })),
  ),
}));

test("an instance satisfies any schema", () => {
  fc.assert(
    fc.property(anySchema, (schema) => {
      // A `$ref` within points to the root's $defs.
      if (JSON.stringify(schema).lastIndexOf("$defs") !== JSON.stringify(schema).indexOf("$defs")) return;
      if (!("$defs" in schema) && JSON.stringify(schema).includes("$ref")) return;
      assert.ok(Schema.Check(schema as Schema.XSchema, createInstance(schema)), JSON.stringify(createInstance(schema)));
    }),
    { numRuns: 500 },
  );
});

test("any JSON is handled", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (schema) => void JSON.stringify(createInstance(schema))),
    { numRuns: 300 },
  );
});
