import assert from "node:assert/strict";
import test from "node:test";
import { encodeSchema, findMap } from "./schema.ts";

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
    { allOf: [{ enum: ["a", null, 1] }, { enum: [{ a: 1 }] }, { const: [1] }] },
    { allOf: [{ enum: ["a", null, 1] }, { description: '{enum: [{"a":1}]}' }, { description: "{const: [1]}" }] },
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
  const maps: readonly object[] = [
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
  ];
  for (const schema of maps) assert.notEqual(findMap(schema), null, JSON.stringify(schema));
  const others: readonly unknown[] = [
    wrapped({ type: "object", properties: {} }),
    wrapped({ type: "object", additionalProperties: false }),
    wrapped({ type: "string", enum: ["additionalProperties"], default: map }),
    { type: "object", properties: { additionalProperties: { type: "number" }, b: {} }, additionalProperties: true },
    { $ref: "#/$defs/a", type: "object" },
    true,
    null,
  ];
  for (const schema of others) assert.equal(findMap(schema), null, JSON.stringify(schema));
});
