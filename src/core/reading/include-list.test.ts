import assert from "node:assert/strict";
import { test } from "node:test";
import { ENCRYPTED_CONTENT, INCLUDE_VALUES } from "../../contract/include.ts";
import { assertInvalidInput } from "../../../test/support/responses.ts";
import { resolveField } from "../response/request.ts";
import { readIncludeOfCreate, readIncludeOfQuery } from "./include-list.ts";

const create = (value: unknown) => resolveField(readIncludeOfCreate(value), "test/all");

test("nothing, null and an empty list include nothing", () => {
  for (const value of [undefined, null, []]) assert.equal(create(value), false);
  for (const value of [undefined, []]) assert.equal(readIncludeOfQuery(value), false);
});

test("only reasoning.encrypted_content returns data", () => {
  assert.equal(create([ENCRYPTED_CONTENT]), true);
  assert.equal(create([ENCRYPTED_CONTENT, ENCRYPTED_CONTENT]), true);
  assert.equal(readIncludeOfQuery([ENCRYPTED_CONTENT]), true);
});

test("a create that includes logprobs is rejected, naming the model", () => {
  assertInvalidInput(
    () => create([ENCRYPTED_CONTENT, "message.output_text.logprobs"]),
    "include",
    "test/all",
    "logprobs",
  );
});

for (const value of INCLUDE_VALUES.filter((known) => known !== ENCRYPTED_CONTENT)) {
  test(`a create that includes ${value} is rejected, naming it; a query may include it`, () => {
    assertInvalidInput(() => create([value]), "include", value);
    assert.equal(readIncludeOfQuery([value]), false);
    assert.equal(readIncludeOfQuery([value, ENCRYPTED_CONTENT]), true);
  });
}

for (const value of [
  "x",
  "",
  "reasoning",
  "REASONING.ENCRYPTED_CONTENT",
  1,
  null,
  {},
  ["reasoning.encrypted_content"],
]) {
  test(`the unknown value ${JSON.stringify(value)} is rejected, naming what is allowed`, () => {
    assertInvalidInput(() => create([value]), "include", "include[0]", ENCRYPTED_CONTENT);
    if (typeof value === "string") assertInvalidInput(() => readIncludeOfQuery([value]), "include", ENCRYPTED_CONTENT);
  });
}

test("an include that is not an array is rejected", () => {
  for (const value of [ENCRYPTED_CONTENT, {}, 1, true]) assertInvalidInput(() => create(value), "include", "array");
});
