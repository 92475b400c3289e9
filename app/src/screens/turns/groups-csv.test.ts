import assert from "node:assert/strict";
import { test } from "node:test";
import { groupsCsv } from "./groups-csv.ts";

test("a line for each group, then the others, none and the total; a label is a text to a spreadsheet", () => {
  const sums = { turns: 2, failed: 1, input_tokens: 3, output_tokens: 4, credits: 0.5 };
  const zero = { turns: 0, failed: 0, input_tokens: 0, output_tokens: 0, credits: 0 };
  const text = groupsCsv({
    by: "label",
    data: [{ id: "=1,2", name: null, ...sums }],
    others: { groups: 0, ...zero },
    none: zero,
    total: sums,
    read_from: null,
  });
  assert.deepEqual(text.split("\r\n"), [
    "label,name,turns,failed,input_tokens,output_tokens,credits",
    `"'=1,2",,2,1,3,4,0.5`,
    "others,0 groups,0,0,0,0,0",
    "none,,0,0,0,0,0",
    "total,,2,1,3,4,0.5",
    "",
  ]);
});
