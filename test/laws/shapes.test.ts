// Readers and published shapes agree: a field's reader accepts exactly what the OpenAPI document promises.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../support/fast-check.ts";
import type { TSchema } from "typebox";
import { Check } from "typebox/value";
import { ApiError } from "../../src/contract/errors.ts";
import { CREATE_RESPONSE_FIELDS } from "../../src/contract/requests.ts";
import { readCreateBody } from "../../src/core/reading/create-body.ts";
import { checkSettings } from "../../src/core/turn/settings.ts";
import { modelOf } from "../support/turns.ts";

type Field = keyof typeof CREATE_RESPONSE_FIELDS;

/** Depend on more than the field's own value: the other tools, the model, the place of the item. */
const DECIDED_ELSEWHERE: ReadonlySet<Field> = new Set(["input", "tool_choice", "include"]);

const word = (...words: string[]) => fc.constantFrom(...words);
const text = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.integer({ min: 62, max: 66 }).chain((length) => word("a", "é", "😀").map((character) => character.repeat(length))),
);
/** Integers that a double represents exactly; the readers accept no others. */
const number = fc.oneof(
  fc.maxSafeInteger(),
  fc.integer({ min: -3, max: 20 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Number.isInteger(n) || Number.isSafeInteger(n)),
);
const scalar = fc.oneof(
  text,
  number,
  fc.boolean(),
  word(
    "auto",
    "disabled",
    "flex",
    "default",
    "priority",
    "low",
    "medium",
    "loud",
    "resp_",
    "resp_1",
    "resp_a-Z",
    "conv_1",
    "resp_ü",
  ),
);
const labels = fc.dictionary(
  fc.oneof(fc.string(), text),
  fc.oneof(text, word("v".repeat(512), "v".repeat(513), "😀".repeat(512))),
  {
    maxKeys: 18,
  },
);
const format = fc.record(
  {
    type: word("text", "json_schema", "json_object"),
    schema: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), scalar, fc.array(scalar)),
    name: scalar,
    description: scalar,
    strict: fc.oneof(fc.boolean(), fc.constant(null), scalar),
  },
  { requiredKeys: [] },
);
const tool = fc.record(
  {
    type: fc.oneof({ arbitrary: fc.constant("function"), weight: 4 }, scalar),
    name: fc.oneof({ arbitrary: word("", "look_up"), weight: 4 }, scalar),
    description: fc.oneof(fc.constant(null), scalar),
    parameters: fc.oneof(fc.constant(null), fc.dictionary(fc.string(), fc.jsonValue()), scalar),
    strict: fc.oneof(fc.constant(null), fc.boolean(), scalar),
  },
  { requiredKeys: ["type", "name"] },
);
const structures = fc.oneof(
  fc.array(scalar, { maxLength: 2 }),
  labels,
  fc.array(tool, { maxLength: 2 }),
  fc.record({ id: scalar }, { requiredKeys: [] }),
  fc.record({ include_obfuscation: fc.oneof(fc.boolean(), fc.constant(null), scalar) }, { requiredKeys: [] }),
  fc.record(
    { format: fc.oneof(fc.constant(null), format, format, scalar), verbosity: fc.oneof(fc.constant(null), scalar) },
    { requiredKeys: [] },
  ),
);
const value = fc.oneof(scalar, structures);

/** Null inside an optional field of a format also counts as absent, which the shape need not say. */
function holdsNullInFormat(candidate: unknown): boolean {
  return (
    JSON.stringify(candidate).includes('"format":{') &&
    /"(?:name|description|schema)":null/.test(JSON.stringify(candidate))
  );
}

function isRead(field: Field, candidate: unknown): boolean {
  try {
    const { body } = readCreateBody({ model: "test/all", input: "Hi", [field]: candidate });
    checkSettings(body, modelOf());
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    assert.equal(error.param, field, `${field}: ${error.message}`);
    return false;
  }
}

for (const field of Object.keys(CREATE_RESPONSE_FIELDS) as Field[]) {
  if (DECIDED_ELSEWHERE.has(field)) continue;
  test(`${field} is read if and only if its published shape allows it`, () => {
    const shape: TSchema = CREATE_RESPONSE_FIELDS[field];
    fc.assert(
      fc.property(value, (candidate) => {
        fc.pre(!holdsNullInFormat(candidate));
        assert.equal(isRead(field, candidate), Check(shape, candidate), JSON.stringify(candidate));
      }),
      { numRuns: 150 },
    );
  });
}

test("the law can fail: a shape that differs from the reader is found", () => {
  assert.notEqual(isRead("max_output_tokens", 15), Check({ type: "integer", minimum: 15 }, 15));
});
