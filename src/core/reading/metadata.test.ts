import assert from "node:assert/strict";
import { test } from "node:test";
import { assertInvalidInput } from "../../../test/support/responses.ts";
import { readMetadata } from "./metadata.ts";

const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"]));

test("absent and null are no metadata, an empty object is empty metadata", () => {
  assert.equal(readMetadata(undefined), null);
  assert.equal(readMetadata(null), null);
  assert.deepEqual(readMetadata({}), {});
});

test("16 pairs are accepted, 17 are rejected with their number", () => {
  assert.deepEqual(readMetadata(pairs(16)), pairs(16));
  assertInvalidInput(() => readMetadata(pairs(17)), "metadata", "16", "17");
});

test("characters are code points: 64 of any plane are a key, 512 a value", () => {
  for (const character of ["a", "é", "漢", "😀"]) {
    const labels = { [character.repeat(64)]: character.repeat(512) };
    assert.deepEqual(readMetadata(labels), labels);
    assertInvalidInput(() => readMetadata({ [character.repeat(65)]: "v" }), "metadata", "64 characters");
    assertInvalidInput(() => readMetadata({ k: character.repeat(513) }), "metadata", '"k"', "512 characters");
  }
});

test("a composed letter counts as its code points", () => {
  assertInvalidInput(() => readMetadata({ ["e\u0301".repeat(33)]: "v" }), "metadata");
});

test("empty keys and values are accepted", () => assert.deepEqual(readMetadata({ "": "" }), { "": "" }));

for (const value of [1, true, null, [], {}]) {
  test(`a value that is ${JSON.stringify(value)} is rejected, naming its key`, () => {
    assertInvalidInput(() => readMetadata({ mine: value }), "metadata", '"mine"', "string");
  });
}

for (const value of [[], "x", 1, false]) {
  test(`metadata that is ${JSON.stringify(value)} is rejected`, () => {
    assertInvalidInput(() => readMetadata(value), "metadata", "object");
  });
}

test("__proto__ is a key like any other", () => {
  const labels = readMetadata(JSON.parse('{"__proto__":"x"}'));
  assert.equal(JSON.stringify(labels), '{"__proto__":"x"}');
});
