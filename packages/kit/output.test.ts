import assert from "node:assert/strict";
import { test } from "node:test";
import { tableOf } from "./output.ts";

test("a table has a column for every field of any record", () => {
  const records = [
    { id: "a", limits: { streams: 3 } },
    { id: "b", limits: { streams: null }, suspended: true },
  ];
  assert.equal(
    tableOf(records, "There is none."),
    "id  limits.streams  suspended\na   3               -\nb   -               yes\n",
  );
});

test("an empty list is a sentence", () => assert.equal(tableOf([], "There is none."), "There is none.\n"));
