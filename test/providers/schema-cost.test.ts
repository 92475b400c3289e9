// The cost of a client's JSON schema grows as the schema does, whatever its width, depth and types.
// docs/reliability.md, F-43
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../src/base/json.ts";
import { encodeSchema, findUnsupported } from "../../src/providers/anthropic/schema.ts";
import { limitSchema } from "../../src/providers/gemini/schema.ts";
import { COST_RATIO_MAX, costRatio } from "../support/cost.ts";

const list = <T>(length: number, make: (at: number) => T): readonly T[] => Array.from({ length }, (_, at) => make(at));
const named = (count: number): JsonObject => ({
  properties: Object.fromEntries(list(count, (at) => [`a${at}`, { type: "string" }])),
});
function nested(depth: number, inner: JsonObject, nest: (inner: JsonObject) => JsonObject): JsonObject {
  let schema = inner;
  for (let level = 0; level < depth; level++) schema = nest(schema);
  return schema;
}

/** Schemas whose length grows with their size, several kinds of growth at once. */
const SCHEMAS: Readonly<Record<string, (size: number) => JsonObject>> = {
  "types in two parts": (size) => ({
    allOf: [{ type: list(40 * size, (at) => `a${at}`) }, { type: list(40 * size, (at) => `b${at}`) }],
  }),
  "types beside a choice of types": (size) => ({
    type: list(40 * size, (at) => `a${at}`),
    ...named(1),
    anyOf: list(size, () => ({ type: ["string", "null"] })),
  }),
  "properties under nested allOf": (size) => nested(size, named(40 * size), (inner) => ({ allOf: [inner] })),
  "properties under nested allOf that are closed": (size) =>
    nested(size, named(40 * size), (inner) => ({ allOf: [inner], unevaluatedProperties: false })),
  "equal properties, nested": (size) => ({
    allOf: list(2, (at) =>
      nested(size, { enum: [...list(40 * size, (value) => value), -at] }, (a) => ({ properties: { a } })),
    ),
  }),
  "parts with properties, names and conflicts": (size) => ({
    allOf: list(20 * size, (at) => ({
      properties: { [`a${at}`]: {}, same: { const: at } },
      required: [`a${at}`],
      description: `${at}`,
      minLength: at,
    })),
  }),
  "closed parts of the same properties": (size) => ({
    allOf: list(size, () => ({ ...named(40), additionalProperties: false })),
  }),
};

for (const [what, schemaOf] of Object.entries(SCHEMAS)) {
  test(`${what}: the cost is linear`, () => {
    const ratio = costRatio(25, (size) => {
      const schema = schemaOf(size);
      findUnsupported(schema);
      encodeSchema(schema);
      limitSchema(schema);
    });
    assert.ok(ratio < COST_RATIO_MAX, `eight times the size took ${ratio.toFixed(1)} times as long`);
  });
}
