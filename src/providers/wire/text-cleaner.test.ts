import assert from "node:assert/strict";
import test from "node:test";
import { createTextCleaner } from "./text-cleaner.ts";

const create = () => createTextCleaner(() => {});

test("well-formed text is unchanged", () => {
  const cleaner = create();
  assert.equal(cleaner.clean("Hello 🎉"), "Hello 🎉");
  assert.equal(cleaner.end(), "");
});

test("a character cut into two halves is joined", () => {
  const cleaner = create();
  assert.equal(cleaner.clean("a\ud83c"), "a");
  assert.equal(cleaner.clean("\udf89b"), "🎉b");
  assert.equal(cleaner.end(), "");
});

test("half a surrogate pair alone is replaced", () => {
  const cleaner = create();
  assert.equal(cleaner.clean("a\ud83c"), "a");
  assert.equal(cleaner.clean("b"), "\ufffdb");
  assert.equal(cleaner.clean("\udf89"), "\ufffd");
  assert.equal(cleaner.clean("\ud83c"), "");
  assert.equal(cleaner.end(), "\ufffd");
});

test("U+0000 is replaced and reported, also beside half a surrogate pair", () => {
  let reports = 0;
  const cleaner = createTextCleaner(() => {
    reports++;
  });
  assert.equal(cleaner.clean("a\0b"), "a\ufffdb");
  assert.equal(cleaner.clean("\0\ud83c"), "\ufffd");
  assert.equal(cleaner.clean("\udf89"), "🎉");
  assert.equal(reports, 2);
});
