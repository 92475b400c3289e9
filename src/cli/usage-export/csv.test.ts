import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../../test/support/fast-check.ts";
import { readCsv } from "../../../test/support/csv.ts";
import { type Cell, csvLine } from "./csv.ts";

const cells: readonly (readonly [Cell, string])[] = [
  ["plain", "plain"],
  [" spaces ", " spaces "],
  ["a,b", '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ["two\nlines", '"two\nlines"'],
  ["two\r\nlines", '"two\r\nlines"'],
  [null, ""],
  [0, "0"],
  [12, "12"],
  ["=1+1", "'=1+1"],
  ["+1", "'+1"],
  ["-1", "-1"],
  ["-0.25", "-0.25"],
  ["-1+1", "'-1+1"],
  ["-.5", "'-.5"],
  ["-1\n", '"\'-1\n"'],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["\t=1", "'\t=1"],
  ["\r=1", '"\'\r=1"'],
  ["\n=1", '"\'\n=1"'],
  ["＝1", "'＝1"],
  ['=cmd|" /C calc"!A0', '"\'=cmd|"" /C calc""!A0"'],
  ["a=1", "a=1"],
  ["1-2", "1-2"],
];
for (const [cell, written] of cells) {
  test(`${JSON.stringify(cell)} is written ${JSON.stringify(written)}`, () => {
    assert.equal(csvLine([cell, "x"]), `${written},x\r\n`);
  });
}

test("lines read back as the same cells, but for the apostrophe", () => {
  const cell = fc.string({ unit: fc.constantFrom("a", '"', ",", "\r", "\n", "=", "-", " ", "é", "'"), maxLength: 6 });
  fc.assert(
    fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 4 }), (lines) => {
      const read = readCsv(lines.map((line) => csvLine(line)).join(""));
      const safe = (text: string) => (/^[=\-\r\n]/.test(text) ? `'${text}` : text);
      assert.deepEqual(
        read,
        lines.map((line) => line.map(safe)),
      );
      assert.ok(read.flat().every((text) => !/^[=+\-@\t\r]/.test(text)));
    }),
  );
});
