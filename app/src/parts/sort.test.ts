import assert from "node:assert/strict";
import { test } from "node:test";
import { findRows, nextSorting, sortRows, type SortValue } from "./sort.ts";

const sorted = (values: readonly SortValue[], isDescending: boolean) =>
  sortRows(values, (value) => value, isDescending);

test("numbers are in the order of their size, texts in that of the language, and nothing is last", () => {
  assert.deepEqual(sorted([10, null, 9, 100], false), [9, 10, 100, null]);
  assert.deepEqual(sorted([10, null, 9, 100], true), [100, 10, 9, null]);
  assert.deepEqual(sorted(["key 10", "Key 9", "ada", "Über"], false), ["ada", "Key 9", "key 10", "Über"]);
});

test("equal rows keep their order, both ways", () => {
  const rows = [
    { name: "b", at: 1 },
    { name: "a", at: 1 },
    { name: "c", at: 0 },
  ];
  const names = (isDescending: boolean) => sortRows(rows, ({ at }) => at, isDescending).map(({ name }) => name);
  assert.deepEqual(names(false), ["c", "b", "a"]);
  assert.deepEqual(names(true), ["b", "a", "c"]);
});

test("a press sorts, a second one turns the order round, a third one undoes it; numbers begin with the largest", () => {
  for (const isNumber of [false, true]) {
    const first = nextSorting(null, "Name", isNumber);
    const second = nextSorting(first, "Name", isNumber);
    assert.deepEqual([first?.isDescending, second?.isDescending], [isNumber, !isNumber]);
    assert.equal(nextSorting(second, "Name", isNumber), null);
    assert.equal(nextSorting(second, "Other", isNumber)?.title, "Other");
  }
});

test("a row is found by every word of a text, in any column and case", () => {
  const rows = [
    ["Chat backend", "grace@acme.example", 3],
    ["Chat tests", "linus@acme.example", 4],
  ] as const;
  const found = (text: string) => findRows(rows, (row) => row, text).map(([name]) => name);
  assert.deepEqual(found("chat"), ["Chat backend", "Chat tests"]);
  assert.deepEqual(found(" LINUS  chat "), ["Chat tests"]);
  assert.deepEqual(found("grace linus"), []);
  assert.deepEqual(found("3"), []);
  assert.deepEqual(found(" "), ["Chat backend", "Chat tests"]);
});
