import assert from "node:assert/strict";
import test from "node:test";
import { parseExactly } from "../../base/exact-json.ts";
import type { JsonObject } from "../../base/json.ts";
import { encodeSchema, findUnsupported } from "./schema.ts";

const rows: [title: string, schema: Record<string, unknown>, encoded: Record<string, unknown>][] = [
  [
    "objects allow nothing else",
    { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
    { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false },
  ],
  [
    "an object by its properties alone, and one without any",
    { properties: { a: { type: ["object", "null"] } } },
    {
      properties: { a: { type: ["object", "null"], properties: {}, additionalProperties: false } },
      additionalProperties: false,
    },
  ],
  [
    "what Anthropic rejects is described instead, behind the schema's own description",
    { type: "string", description: "A name.", minLength: 2, pattern: "^[a-z]+$" },
    { type: "string", description: 'A name.\n\n{minLength: 2, pattern: "^[a-z]+$"}' },
  ],
  [
    "numbers have no bounds",
    { type: "integer", minimum: 1, exclusiveMaximum: 9, default: 3 },
    { type: "integer", description: "{minimum: 1, exclusiveMaximum: 9, default: 3}" },
  ],
  ["a format that is known", { type: "string", format: "date" }, { type: "string", format: "date" }],
  ["a format that is not", { type: "string", format: "color" }, { type: "string", description: '{format: "color"}' }],
  [
    "a list of one at least, and of more",
    {
      anyOf: [
        { type: "array", items: { type: "number", minimum: 0 }, minItems: 1 },
        { type: "array", minItems: 2, maxItems: 3 },
      ],
    },
    {
      anyOf: [
        { type: "array", items: { type: "number", description: "{minimum: 0}" }, minItems: 1 },
        { type: "array", description: "{minItems: 2, maxItems: 3}" },
      ],
    },
  ],
  ["oneOf is anyOf", { oneOf: [{ type: "null" }, { const: 1 }] }, { anyOf: [{ type: "null" }, { const: 1 }] }],
  [
    "values without the types beside them: an enum that may be null, as generators write it",
    {
      type: "object",
      properties: {
        level: { type: ["string", "null"], enum: ["low", "high", null] },
        one: { const: 1, type: "integer" },
      },
    },
    {
      type: "object",
      properties: { level: { enum: ["low", "high", null] }, one: { const: 1 } },
      additionalProperties: false,
    },
  ],
  ["an enum of nothing", { enum: [] }, { description: "{enum: []}" }],
  [
    "an enum of scalars, and one that is not",
    { anyOf: [{ enum: ["a", null, 1] }, { enum: [{ a: 1 }] }, { const: [1] }] },
    { anyOf: [{ enum: ["a", null, 1] }, { description: '{enum: [{"a":1}]}' }, { description: "{const: [1]}" }] },
  ],
  [
    "the objects of an allOf are one, those of references too",
    {
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a"],
      allOf: [{ $ref: "#/$defs/base" }, { properties: { b: { type: "null" } }, required: ["b"] }],
      unevaluatedProperties: false,
      $defs: {
        base: { type: "object", properties: { c: { type: "null" } }, $defs: { d: {} }, description: "A base." },
      },
    },
    {
      type: "object",
      properties: { a: { type: "string" }, c: { type: "null" }, b: { type: "null" } },
      required: ["a", "b"],
      additionalProperties: false,
      description: "A base.",
      $defs: {
        base: {
          type: "object",
          properties: { c: { type: "null" } },
          additionalProperties: false,
          $defs: { d: {} },
          description: "A base.",
        },
      },
    },
  ],
  [
    "a wrapper around one reference is that reference with what it says",
    {
      type: "object",
      allOf: [{ $ref: "#/$defs/a" }],
      description: "Theirs.",
      $defs: { a: { type: "object", properties: {} } },
    },
    {
      anyOf: [{ $ref: "#/$defs/a" }],
      description: "Theirs.",
      $defs: { a: { type: "object", properties: {}, additionalProperties: false } },
    },
  ],
  [
    "properties beside a choice are those of each object in it, and of no other value",
    {
      type: ["object", "null"],
      title: "T",
      properties: { a: { type: "string" } },
      required: ["a"],
      oneOf: [
        { properties: { a: { const: "b" }, b: { type: "null" } }, required: ["b"] },
        { $ref: "#/definitions/c" },
        { type: "null" },
        { type: "string" },
        false,
      ],
      definitions: { c: { type: "object", properties: { c: { type: "null" } } } },
    },
    {
      title: "T",
      anyOf: [
        {
          type: ["object", "null"],
          properties: { a: { const: "b" }, b: { type: "null" } },
          required: ["a", "b"],
          additionalProperties: false,
        },
        {
          type: "object",
          properties: { a: { type: "string" }, c: { type: "null" } },
          required: ["a"],
          additionalProperties: false,
        },
        { type: "null" },
      ],
      definitions: { c: { type: "object", properties: { c: { type: "null" } }, additionalProperties: false } },
    },
  ],
  [
    "a choice between objects is one, also beside their type",
    {
      type: "object",
      anyOf: [{ properties: { a: {} } }, { $ref: "#/$defs/b" }],
      $defs: { b: { type: "object", properties: {} } },
    },
    {
      anyOf: [{ type: "object", properties: { a: {} }, additionalProperties: false }, { $ref: "#/$defs/b" }],
      $defs: { b: { type: "object", properties: {}, additionalProperties: false } },
    },
  ],
  [
    "a choice of what is required stays beside the properties",
    { type: "object", properties: { a: {}, b: {} }, anyOf: [{ required: ["a"] }, { required: ["b"] }] },
    {
      type: "object",
      properties: { a: {}, b: {} },
      additionalProperties: false,
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
    },
  ],
  [
    "a reference and a choice beside it both count",
    { $ref: "#/$defs/a", anyOf: [{ type: "string" }, { type: "null" }], $defs: { a: { enum: ["b", null] } } },
    { enum: ["b", null], anyOf: [{ type: "string" }, { type: "null" }], $defs: { a: { enum: ["b", null] } } },
  ],
  [
    "definitions and references",
    { $schema: "x", $ref: "#/$defs/a", $defs: { a: { type: "object", additionalProperties: { type: "string" } } } },
    {
      anyOf: [{ $ref: "#/$defs/a" }],
      $defs: {
        a: {
          type: "object",
          properties: {},
          additionalProperties: false,
          description: '{additionalProperties: {"type":"string"}}',
        },
      },
    },
  ],
  ["a reference alone", { $ref: "#/$defs/a" }, { $ref: "#/$defs/a" }],
  [
    "a reference with words beside it",
    { $ref: "#/$defs/a", description: "Theirs." },
    { anyOf: [{ $ref: "#/$defs/a" }], description: "Theirs." },
  ],
  [
    "additionalProperties false is no news",
    { type: "object", additionalProperties: false },
    { type: "object", properties: {}, additionalProperties: false },
  ],
  [
    "schemas that are booleans stay",
    { type: "object", properties: { a: true } },
    { type: "object", properties: { a: true }, additionalProperties: false },
  ],
  [
    "keywords that objects have by nature",
    { constructor: 1, toString: 2 },
    { description: "{constructor: 1, toString: 2}" },
  ],
];

for (const [title, schema, encoded] of rows) {
  test(title, () => {
    const before = JSON.stringify(schema);
    assert.deepEqual(encodeSchema(schema), encoded);
    assert.equal(JSON.stringify(schema), before);
  });
}

test("the description of a format precedes the schema's own", () => {
  assert.equal(
    encodeSchema({ description: "Own.", minimum: 1 }, "Given.").description,
    "Given.\n\nOwn.\n\n{minimum: 1}",
  );
});

test("a map is found wherever it is, and an object of named keys is none", () => {
  const map = { type: "object", additionalProperties: { type: "number" } };
  const wrapped = (schema: object) => ({ type: "object", properties: { a: schema } });
  const maps: readonly JsonObject[] = [
    map,
    wrapped(map),
    wrapped({ type: "array", items: map }),
    wrapped({ anyOf: [{ type: "null" }, map] }),
    { $ref: "#/$defs/a", $defs: { a: map } },
    wrapped({ type: "object", properties: { b: {} }, additionalProperties: { type: "number" } }),
    wrapped({ type: "object", patternProperties: { "^[A-Z]": { type: "number" } }, additionalProperties: false }),
    wrapped({ type: "object", unevaluatedProperties: { type: "number" } }),
    wrapped({ type: "object", additionalProperties: true }),
    wrapped({ type: "object" }),
    wrapped({ type: ["object", "null"] }),
    wrapped({ allOf: [{ type: "object" }, { title: "T" }] }),
    wrapped({ type: "object", anyOf: [{ required: ["a"] }, { properties: { b: {} } }] }),
    wrapped({ properties: { b: {} }, required: ["b", "c"] }),
    wrapped({ type: "object", properties: { b: {} }, required: ["c"], additionalProperties: false }),
    wrapped({ type: "object", required: ["c"], additionalProperties: false }),
  ];
  for (const schema of maps) assert.equal(findUnsupported(schema)?.kind, "map", JSON.stringify(schema));
  const others: readonly JsonObject[] = [
    wrapped({ type: "object", properties: {} }),
    wrapped({ allOf: [{ type: "object" }, { properties: { b: {} }, required: ["b"] }] }),
    wrapped({ type: "object", anyOf: [{ properties: { a: {} } }, { properties: { b: {} } }] }),
    wrapped({ type: "string", required: ["a"] }),
    wrapped({ properties: {}, required: [parseExactly("1e400")] }),
    wrapped({ type: "object", additionalProperties: false }),
    wrapped({ type: "string", enum: ["additionalProperties"], default: map }),
    { type: "object", properties: { additionalProperties: { type: "number" }, b: {} }, additionalProperties: true },
    { $ref: "#/$defs/a", type: "object" },
  ];
  for (const schema of others) assert.equal(findUnsupported(schema), null, JSON.stringify(schema));
});
