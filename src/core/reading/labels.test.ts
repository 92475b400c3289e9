import assert from "node:assert/strict";
import { test } from "node:test";
import { assertRefuses } from "../../../test/support/turns.ts";
import { readLabels } from "./labels.ts";

const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"]));

test("absent and null are no labels, an empty object is an empty set of them", () => {
  assert.equal(readLabels(undefined), null);
  assert.equal(readLabels(null), null);
  assert.deepEqual(readLabels({}), {});
});

test("16 pairs are labels, 17 are refused with their number", () => {
  assert.deepEqual(readLabels(pairs(16)), pairs(16));
  assertRefuses(() => readLabels(pairs(17)), "metadata", "16", "17");
});

test("a character is a code point: 64 of any plane are a key, 512 a value", () => {
  for (const character of ["a", "é", "漢", "😀"]) {
    const labels = { [character.repeat(64)]: character.repeat(512) };
    assert.deepEqual(readLabels(labels), labels);
    assertRefuses(() => readLabels({ [character.repeat(65)]: "v" }), "metadata", "64 characters");
    assertRefuses(() => readLabels({ k: character.repeat(513) }), "metadata", '"k"', "512 characters");
  }
});

test("a composed letter counts its code points, not what is seen", () => {
  assertRefuses(() => readLabels({ ["e\u0301".repeat(33)]: "v" }), "metadata");
});

test("empty keys and values are labels", () => assert.deepEqual(readLabels({ "": "" }), { "": "" }));

for (const value of [1, true, null, [], {}]) {
  test(`a value that is ${JSON.stringify(value)} is refused, naming its key`, () => {
    assertRefuses(() => readLabels({ mine: value }), "metadata", '"mine"', "string");
  });
}

for (const value of [[], "x", 1, false]) {
  test(`labels that are ${JSON.stringify(value)} are refused`, () => {
    assertRefuses(() => readLabels(value), "metadata", "object");
  });
}

test("a label called __proto__ is a label", () => {
  const labels = readLabels(JSON.parse('{"__proto__":"x"}'));
  assert.equal(JSON.stringify(labels), '{"__proto__":"x"}');
});
