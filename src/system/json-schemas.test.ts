// docs/reliability.md, A-3
import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonSchemas } from "./json-schemas.ts";

const person = {
  type: "object",
  properties: { name: { type: "string" }, age: { $ref: "#/$defs/age" } },
  required: ["name"],
  additionalProperties: false,
  $defs: { age: { type: "integer", minimum: 0 } },
};

test("output that satisfies the schema is accepted, output that violates it is not", () => {
  assert.equal(jsonSchemas.accepts(person, '{"name":"Ada","age":36}'), true);
  assert.equal(jsonSchemas.accepts(person, '{"name":"Ada","age":-1}'), false);
  assert.equal(jsonSchemas.accepts(person, '{"age":1}'), false);
  assert.equal(jsonSchemas.accepts(person, "not json"), false);
});

test("a schema that refers to itself is not checked", () => {
  assert.equal(jsonSchemas.accepts({ $ref: "#" }, "{}"), true);
});

test("a schema with unresolvable references is not checked", () => {
  for (const reference of ["#/%", "#/%ff", "#/$defs/missing"]) {
    assert.equal(jsonSchemas.accepts({ $ref: reference }, "{}"), true, reference);
  }
  const $defs: Record<string, unknown> = { last: { type: "string" } };
  for (let at = 0; at < 20_000; at++)
    $defs[`at${at}`] = { $ref: at === 19_999 ? "#/$defs/last" : `#/$defs/at${at + 1}` };
  assert.equal(jsonSchemas.accepts({ $ref: "#/$defs/at0", $defs }, "1"), true);
});

test("a schema that grows exponentially when its references are followed is not checked", () => {
  const $defs: Record<string, unknown> = { leaf: { type: "string" } };
  let inner = "leaf";
  for (let level = 0; level < 64; level++) {
    $defs[`level${level}`] = { allOf: [{ $ref: `#/$defs/${inner}` }, { $ref: `#/$defs/${inner}` }] };
    inner = `level${level}`;
  }
  assert.equal(jsonSchemas.accepts({ $ref: `#/$defs/${inner}`, $defs }, "1"), true);
});

test("a pattern is ignored: a client's regular expression could run forever", () => {
  assert.equal(jsonSchemas.accepts({ type: "string", pattern: "^(a+)+$" }, JSON.stringify(`${"a".repeat(40)}b`)), true);
  assert.equal(
    jsonSchemas.accepts({ type: "object", properties: { pattern: { type: "string" } } }, '{"pattern":1}'),
    false,
  );
});

test("where a pattern that is ignored would make another keyword stricter, that one is ignored too", () => {
  const code = { type: "string", pattern: "^[A-Z]+$" };
  for (const [schema, value] of [
    [{ patternProperties: { "^x": { type: "string" } }, additionalProperties: false }, { x1: "a" }],
    [{ patternProperties: { "^x": { type: "string" } }, additionalProperties: { type: "number" } }, { x1: "a" }],
    [{ patternProperties: { "^x": { type: "string" } }, unevaluatedProperties: false }, { x1: "a" }],
    [{ allOf: [{ patternProperties: { "^x": {} } }], unevaluatedProperties: false }, { x1: "a" }],
    [{ type: "string", not: { pattern: "^[A-Z]+$" } }, "a"],
    [{ type: "string", not: { $ref: "#/$defs/code" }, $defs: { code } }, "a"],
    [{ oneOf: [code, { type: "string", pattern: "^[a-z]+$" }] }, "a"],
    [{ oneOf: [code, { type: "string" }], anyOf: [{ type: "string" }] }, "a"],
    [{ type: "string", if: { pattern: "^[A-Z]+$" }, then: { const: "A" } }, "b"],
    [{ type: "array", contains: code, minContains: 1, maxContains: 1 }, ["A", "b"]],
    [{ const: { pattern: "a" } }, { pattern: "a" }],
    [
      { enum: [{ patternProperties: "a", additionalProperties: 1 }] },
      { patternProperties: "a", additionalProperties: 1 },
    ],
  ] as const) {
    assert.equal(jsonSchemas.accepts(schema, JSON.stringify(value)), true, JSON.stringify(schema));
  }
  // What no pattern bears on is checked.
  for (const [schema, value] of [
    [{ properties: { not: { type: "string" } }, patternProperties: {} }, { not: 1 }],
    [{ oneOf: [code, { type: "number" }] }, true],
    [{ oneOf: [{ type: "string" }, { minLength: 1 }] }, "a"],
    [{ not: { type: "string" } }, "a"],
    [{ required: ["b"], patternProperties: { a: {} }, additionalProperties: false }, { a: 1 }],
  ] as const) {
    assert.equal(jsonSchemas.accepts(schema, JSON.stringify(value)), false, JSON.stringify(schema));
  }
});

test("output with so many values that checking would take long is not checked", () => {
  const judged = { type: "array", uniqueItems: true, items: { anyOf: [{ type: "string" }, { type: "null" }] } };
  assert.equal(jsonSchemas.accepts(judged, JSON.stringify([1, 2])), false);
  const numbers = JSON.stringify(Array.from({ length: 200_000 }, (_, at) => at));
  assert.equal(jsonSchemas.accepts(judged, numbers), true);
});

test("a schema with a very long reference is not checked", () => {
  const name = "x".repeat(2_000);
  assert.equal(jsonSchemas.accepts({ $ref: `#/$defs/${name}`, $defs: { [name]: { type: "string" } } }, "1"), true);
});

test("long texts at many places that read them all are not judged", () => {
  const unique = { allOf: Array.from({ length: 100 }, () => ({ uniqueItems: true })) };
  const text = "x".repeat(200_000);
  assert.equal(jsonSchemas.accepts(unique, JSON.stringify(["short", "short"])), false);
  assert.equal(jsonSchemas.accepts(unique, JSON.stringify([text, text])), true);
  assert.equal(jsonSchemas.accepts(unique, JSON.stringify([{ [text]: 1 }, { [text]: 1 }])), true);
  // One long answer by itself is judged.
  const judged = { type: "object", properties: { text: { type: "string", maxLength: 10 } }, required: ["text"] };
  assert.equal(jsonSchemas.accepts(judged, JSON.stringify({ text })), false);
});
