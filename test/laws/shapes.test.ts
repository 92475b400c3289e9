// Readers and published shapes agree: a field's reader accepts exactly what the OpenAPI document promises.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../support/fast-check.ts";
import type { TSchema } from "typebox";
import { Check } from "typebox/value";
import { ApiError } from "../../src/contract/errors.ts";
import { AddedItem, CREATE_RESPONSE_FIELDS, InputItem, REJECTED_FIELDS } from "../../src/contract/requests.ts";
import { readAddedItems } from "../../src/core/history/added-items.ts";
import { readInputItems } from "../../src/core/reading/input-items.ts";
import { buildSchemas } from "../../src/openapi/schemas.ts";
import { readCreateBody } from "../../src/core/reading/create-body.ts";
import { checkSettings } from "../../src/core/response/settings.ts";
import { modelOf } from "../support/responses.ts";

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
    name: fc.oneof(fc.constant(null), scalar),
    description: fc.oneof(fc.constant(null), scalar),
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

function isRead(field: Field, candidate: unknown): boolean {
  try {
    checkSettings(readCreateBody({ model: "test/all", input: "Hi", [field]: candidate }), modelOf());
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
        assert.equal(isRead(field, candidate), Check(shape, candidate), JSON.stringify(candidate));
      }),
      { numRuns: 150 },
    );
  });
}

const maybe = (...values: readonly unknown[]) => fc.constantFrom<unknown>(...values);
const citation = fc.record(
  {
    type: maybe("url_citation", "file_citation", "url_citation"),
    url: maybe("u", 1),
    title: maybe("t", null),
    start_index: maybe(0, 3, -1, 1.5, "0"),
    end_index: maybe(0, 3, null),
  },
  { requiredKeys: ["type"] },
);
const part = fc.record(
  {
    type: maybe(
      "input_text",
      "output_text",
      "output_text",
      "text",
      "input_image",
      "summary_text",
      "reasoning_text",
      null,
    ),
    text: maybe("a", "a", "a", "", 1, null),
    annotations: fc.oneof(maybe(null), fc.array(citation, { maxLength: 2 })),
  },
  { requiredKeys: ["type"] },
);
const content = fc.oneof(maybe("a", "", null, 1), fc.array(part, { maxLength: 2 }));
const item = fc.record(
  {
    type: maybe(
      "message",
      "message",
      "function_call",
      "function_call_output",
      "reasoning",
      "item_reference",
      "other",
      null,
      1,
    ),
    role: maybe("user", "assistant", "system", "developer", "tool", null),
    content,
    phase: maybe("commentary", "final_answer", null),
    call_id: maybe("c", "", null, 1),
    name: maybe("n", "", null),
    arguments: maybe("{}", "", null, {}),
    output: content,
    summary: fc.oneof(maybe(null, "s"), fc.array(part, { maxLength: 1 })),
    encrypted_content: maybe("e", "", null, 1),
    id: maybe("msg_1", "", null, 1),
  },
  { requiredKeys: [] },
);

/** Whether reading throws no ApiError of the field. */
function accepts(param: string, read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    assert.equal(error.param, param, error.message);
    return false;
  }
}

/** Without a type the members decide what an item is, which the shape need not say. */
const isUntyped = (candidate: { type?: unknown; role?: unknown; id?: unknown }) =>
  (candidate.type ?? null) === null && candidate.role !== undefined && candidate.id !== undefined;

for (const [name, shape, param, read] of [
  ["input", InputItem, "input", (sent: unknown) => readInputItems([sent], { param: "input", rejectedRoles: {} })],
  ["a conversation", AddedItem, "items", (sent: unknown) => readAddedItems([sent])],
] as const) {
  test(`an item of ${name} is read if and only if its published shape allows it`, () => {
    fc.assert(
      fc.property(item, (candidate) => {
        fc.pre(!isUntyped(candidate));
        // What annotations hold is ignored in input, where no shape names them.
        const isAllowed = Check(shape, candidate);
        assert.equal(
          accepts(param, () => read(candidate)),
          isAllowed,
          JSON.stringify(candidate),
        );
      }),
      { numRuns: 2000 },
    );
  });
}

test("a field that is always rejected may be null in the document, and nothing else", () => {
  const { properties } = buildSchemas()["CreateResponseBody"] as { properties: Record<string, object> };
  for (const field of Object.keys(REJECTED_FIELDS)) {
    assert.equal(Check(properties[field] as TSchema, null), true);
    const create = (sent: unknown) => () =>
      void checkSettings(readCreateBody({ model: "test/all", input: "Hi", [field]: sent }), modelOf());
    assert.equal(accepts(field, create(null)), true);
    for (const wrong of [0, "a", true, {}, []]) {
      assert.equal(Check(properties[field] as TSchema, wrong), false);
      assert.equal(accepts(field, create(wrong)), false, field);
    }
  }
});

test("the law can fail: a shape that differs from the reader is found", () => {
  assert.notEqual(isRead("max_output_tokens", 15), Check({ type: "integer", minimum: 15 }, 15));
});
