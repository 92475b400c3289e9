import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../test/support/fast-check.ts";
import { countCharacters, estimateTokens } from "./characters.ts";

const texts = fc.string({ unit: fc.constantFrom("a", "é", "漢", "😀", "\u{10ffff}"), maxLength: 500 });

test("characters are code points", () => {
  fc.assert(
    fc.property(texts, (text) => assert.equal(countCharacters(text), Array.from(text).length)),
    { numRuns: 50 },
  );
  assert.equal(countCharacters("a😀é漢"), 4);
});

test("the counts of the pieces of a text add up, wherever it is cut", () => {
  fc.assert(
    fc.property(texts, fc.nat(), (text, at) => {
      const cut = at % (text.length + 1);
      assert.equal(countCharacters(text.slice(0, cut)) + countCharacters(text.slice(cut)), countCharacters(text));
    }),
  );
});

test("four characters are a token, rounded up", () => {
  assert.deepEqual([0, 1, 4, 5, 8].map(estimateTokens), [0, 1, 1, 2, 2]);
});
