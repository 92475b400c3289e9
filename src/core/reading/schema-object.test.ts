import assert from "node:assert/strict";
import { test } from "node:test";
import { assertRefuses } from "../../../test/support/turns.ts";
import { readCreateBody } from "./create-body.ts";
import type { JsonObject } from "./json-body.ts";
import { readSchemaObject } from "./schema-object.ts";
import { readToolFields } from "./tool-fields.ts";

const parse = (text: string) => JSON.parse(text) as JsonObject;

test("parameters with a number that would be sent on as null are refused", () => {
  const body = parse(
    '{"tools":[{"type":"function","name":"f","parameters":{"properties":{"a":{"enum":[1,-1e309]}}}}]}',
  );
  assertRefuses(() => readToolFields(body), "tools", "tools[0].parameters holds a number larger than 1.79");
});

test("so is the schema of an answer", () => {
  const body = parse('{"input":"x","text":{"format":{"type":"json_schema","schema":{"maximum":1e400}}}}');
  assertRefuses(() => readCreateBody(body), "text", "text.format.schema holds a number");
});

test("every other schema is given back as it is", () => {
  const schema = parse('{"maximum":1.7976931348623157e308,"default":null,"enum":["1e400",18446744073709551615]}');
  assert.equal(readSchemaObject("tools[0].parameters", schema), schema);
});
