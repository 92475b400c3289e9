import assert from "node:assert/strict";
import test from "node:test";
import { createTextCleaner } from "./text-cleaner.ts";

const create = () => createTextCleaner(() => new Error("unreadable"));

test("whole text passes as it is", () => {
  const cleaner = create();
  assert.equal(cleaner.clean("Hello 🎉"), "Hello 🎉");
  assert.equal(cleaner.end(), "");
});

test("a character cut in two halves is put together", () => {
  const cleaner = create();
  assert.equal(cleaner.clean("a\ud83c"), "a");
  assert.equal(cleaner.clean("\udf89b"), "🎉b");
  assert.equal(cleaner.end(), "");
});

test("a half that stays alone is replaced", () => {
  const cleaner = create();
  assert.equal(cleaner.clean("a\ud83c"), "a");
  assert.equal(cleaner.clean("b"), "\ufffdb");
  assert.equal(cleaner.clean("\udf89"), "\ufffd");
  assert.equal(cleaner.clean("\ud83c"), "");
  assert.equal(cleaner.end(), "\ufffd");
});

test("U+0000 is refused", () => {
  assert.throws(() => create().clean("a\0"), /unreadable/);
});
