import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { encodeValue, RESULT_TYPES } from "./execute.ts";

test("values are sent as text, without U+0000", () => {
  assert.deepEqual([1, 2n ** 62n, -1.5, "x", "a\0b\0", null, undefined].map(encodeValue), [
    "1",
    "4611686018427387904",
    "-1.5",
    "x",
    "a\uFFFDb\uFFFD",
    null,
    null,
  ]);
});

test("results are numbers, text, and 1 or 0 for a boolean", () => {
  const { INT8, NUMERIC, INT4, BOOL, TEXT, JSON: JSON_TYPE, TIMESTAMPTZ } = pg.types.builtins;
  const parse = (type: number, text: string): unknown => RESULT_TYPES.getTypeParser(type, "text")(text);
  assert.deepEqual(
    [parse(INT8, "12"), parse(NUMERIC, "13"), parse(INT4, "14"), parse(BOOL, "t"), parse(BOOL, "f")],
    [12, 13, 14, 1, 0],
  );
  for (const type of [TEXT, JSON_TYPE, TIMESTAMPTZ]) assert.equal(parse(type, "1"), "1");
});
