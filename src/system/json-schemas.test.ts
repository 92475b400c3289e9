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

test("an answer that satisfies the schema is accepted, one that breaks it is not", () => {
  assert.equal(jsonSchemas.accepts(person, '{"name":"Ada","age":36}'), true);
  assert.equal(jsonSchemas.accepts(person, '{"name":"Ada","age":-1}'), false);
  assert.equal(jsonSchemas.accepts(person, '{"age":1}'), false);
  assert.equal(jsonSchemas.accepts(person, "not json"), false);
});

test("a schema that refers to itself is not judged", () => {
  assert.equal(jsonSchemas.accepts({ $ref: "#" }, "{}"), true);
});

test("a schema with references that cannot be followed is not judged", () => {
  for (const reference of ["#/%", "#/%ff", "#/$defs/missing"]) {
    assert.equal(jsonSchemas.accepts({ $ref: reference }, "{}"), true, reference);
  }
  const $defs: Record<string, unknown> = { last: { type: "string" } };
  for (let at = 0; at < 20_000; at++)
    $defs[`at${at}`] = { $ref: at === 19_999 ? "#/$defs/last" : `#/$defs/at${at + 1}` };
  assert.equal(jsonSchemas.accepts({ $ref: "#/$defs/at0", $defs }, "1"), true);
});

test("a schema that grows without end when its references are followed is not judged", () => {
  const $defs: Record<string, unknown> = { leaf: { type: "string" } };
  let inner = "leaf";
  for (let level = 0; level < 64; level++) {
    $defs[`level${level}`] = { allOf: [{ $ref: `#/$defs/${inner}` }, { $ref: `#/$defs/${inner}` }] };
    inner = `level${level}`;
  }
  assert.equal(jsonSchemas.accepts({ $ref: `#/$defs/${inner}`, $defs }, "1"), true);
});

test("a pattern is passed over: a regular expression of a client's could run for ever", () => {
  assert.equal(jsonSchemas.accepts({ type: "string", pattern: "^(a+)+$" }, JSON.stringify(`${"a".repeat(40)}b`)), true);
  assert.equal(
    jsonSchemas.accepts({ type: "object", properties: { pattern: { type: "string" } } }, '{"pattern":1}'),
    false,
  );
});
