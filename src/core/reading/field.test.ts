import assert from "node:assert/strict";
import { test } from "node:test";
import { assertInvalidInput } from "../../../test/support/responses.ts";
import { faultOf, paramOf, readField } from "./field.ts";

test("null counts as absent", () => {
  assert.equal(readField("stream", null, { type: "boolean" }), null);
  assert.equal(readField("stream", undefined, { type: "boolean" }), null);
});

test("false, zero and the empty string are values", () => {
  assert.equal(readField("stream", false, { type: "boolean" }), false);
  assert.equal(readField("top_p", 0, { type: "number" }), 0);
  assert.equal(readField("instructions", "", { type: "string" }), "");
});

const rejected: readonly (readonly [string, unknown, object, RegExp])[] = [
  ["model", "", { type: "string", minLength: 1 }, /^model must be a string that is not empty, not ""\.$/],
  ["model", 5, { type: "string" }, /^model must be a string, not 5\.$/],
  ["safety_identifier", "x".repeat(65), { type: "string", maxLength: 64 }, /at most 64 characters, not one of 65\.$/],
  ["stream", "true", { type: "boolean" }, /^stream must be true or false, not "true"\.$/],
  ["max_tool_calls", 0, { type: "integer", minimum: 1 }, /^max_tool_calls must be an integer of at least 1, not 0\.$/],
  ["max_tool_calls", 1.5, { type: "integer", minimum: 1 }, /not 1\.5\.$/],
  [
    "max_tool_calls",
    "5",
    { type: "integer", minimum: 1 },
    /^max_tool_calls must be an integer of at least 1, not "5"\.$/,
  ],
  [
    "max_tool_calls",
    Number.NEGATIVE_INFINITY,
    { type: "integer", minimum: 1 },
    /an integer of at least 1, not a number beyond all bounds\.$/,
  ],
  // The value is not repeated: it has been rounded already.
  [
    "max_tool_calls",
    2 ** 53,
    { type: "integer", minimum: 1 },
    /^max_tool_calls is too large: it must be an integer of at most 9007199254740991\.$/,
  ],
  ["max_tool_calls", Number.POSITIVE_INFINITY, { type: "integer", minimum: 1 }, /^max_tool_calls is too large: /],
  ["max_tool_calls", 2 ** 53, { type: "integer" }, /^max_tool_calls is too large: /],
  [
    "p",
    2 ** 53,
    { type: "integer", minimum: 0, maximum: 2 },
    /^p must be an integer from 0 to 2, not 9007199254740992\.$/,
  ],
  ["p", 3, { type: "number", minimum: 0, maximum: 2 }, /^p must be a number from 0 to 2, not 3\.$/],
  ["p", Number.POSITIVE_INFINITY, { type: "number" }, /a number/],
  ["truncation", "off", { enum: ["disabled", "auto"] }, /^truncation must be one of disabled, auto, not "off"\.$/],
  ["store", 1, { const: true }, /^store must be true, not 1\.$/],
  ["text", [], { type: "object" }, /^text must be an object, not an array\.$/],
  ["tools", {}, { type: "array" }, /^tools must be an array, not an object\.$/],
];
for (const [path, value, shape, sentence] of rejected) {
  test(`${path} of ${JSON.stringify(value)?.slice(0, 20)} is rejected: ${sentence.source}`, () => {
    assertInvalidInput(() => readField(path, value, shape), path, sentence);
  });
}

test("the param is the top-level field of the path", () => {
  assert.equal(paramOf("text.format.schema"), "text");
  assert.equal(paramOf("tools[2].name"), "tools");
  assert.equal(paramOf("input"), "input");
  assertInvalidInput(() => readField("text.verbosity", "loud", { enum: ["low"] }), "text", "text.verbosity");
});

test("a longer string is not repeated in the message", () => {
  assertInvalidInput(
    () => readField("truncation", "s".repeat(500), { enum: ["auto"] }),
    "truncation",
    "a longer string",
  );
});

test("the message says which model the field is for", () => {
  const shape = { type: "number", minimum: 0, maximum: 2 };
  assertInvalidInput(
    () => {
      throw faultOf("temperature", "hot", shape)?.(" for the model m");
    },
    "temperature",
    /^temperature must be a number from 0 to 2 for the model m, not "hot"\.$/,
  );
});
