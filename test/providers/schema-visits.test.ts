// A client's JSON schema is visited once, however it is nested, and a search in it copies no more than its visits pay for.
// docs/reliability.md, F-43
import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeSchema, findUnsupported } from "../../src/providers/anthropic/schema.ts";
import { limitSchema } from "../../src/providers/gemini/schema.ts";
import { createInstance } from "../../src/providers/simulated/instance.ts";

/** A schema of a string, and how often its type was read. */
function counted() {
  let reads = 0;
  const leaf = {
    get type() {
      reads++;
      return "string";
    },
  };
  return { leaf, reads: () => reads };
}

const NESTINGS: Readonly<Record<string, (inner: object) => object>> = {
  "definitions before a reference": (inner) => ({ $defs: { a: inner }, allOf: [{ $ref: "#/$defs/a" }] }),
  "definitions behind a reference": (inner) => ({ allOf: [{ $ref: "#/$defs/a" }], definitions: { a: inner } }),
  "definitions beside a reference": (inner) => ({ $ref: "#/$defs/a", $defs: { a: inner } }),
  "an allOf of one": (inner) => ({ allOf: [inner] }),
  "properties and items": (inner) => ({ properties: { a: { items: inner } } }),
  "anyOf beside oneOf": (inner) => ({ anyOf: [inner], oneOf: [{ type: "null" }] }),
};

for (const [what, nest] of Object.entries(NESTINGS)) {
  test(`each schema is encoded a few times at most: ${what}`, () => {
    for (const encode of [limitSchema, (schema: object) => encodeSchema({ ...schema })]) {
      const { leaf, reads } = counted();
      let schema: object = leaf;
      for (let level = 0; level < 12; level++) schema = nest(schema);
      encode({ ...schema });
      assert.ok(reads() <= 4, `read ${reads()} times`);
    }
  });
}

test("what Anthropic is sent of a schema is bounded, however often its parts would have to be copied", () => {
  const copied: Readonly<Record<string, (inner: object) => object>> = {
    "properties beside a choice": (inner) => ({
      properties: { a: inner },
      anyOf: [{ properties: { b: {} } }, { properties: { c: {} } }],
    }),
    "references beside properties": (inner) => ({
      properties: { b: { $ref: "#/$defs/a", ...inner }, c: { $ref: "#/$defs/a", ...inner } },
    }),
  };
  for (const [what, nest] of Object.entries(copied)) {
    let schema: object = { properties: { a: { type: "string" } } };
    for (let level = 0; level < (what.startsWith("prop") ? 25 : 10); level++) schema = nest(schema);
    const whole = { ...schema, $defs: { a: schema } };
    assert.ok(JSON.stringify(encodeSchema(whole)).length < 2_000_000, what);
    assert.notEqual(findUnsupported(whole), null, what);
  }
});

test("the simulated provider copies a schema of many keywords only as often as its visits pay for", () => {
  let copies = 0;
  const keywords = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`x-${at}`, 1]));
  const wide = {
    ...keywords,
    enum: [],
    get title() {
      copies++;
      return "";
    },
  };
  const schema = { $defs: { wide }, anyOf: Array.from({ length: 2_000 }, () => ({ $ref: "#/$defs/wide" })) };
  assert.equal(createInstance(schema), null);
  assert.ok(copies < 50, `copied ${copies} times`);
});
