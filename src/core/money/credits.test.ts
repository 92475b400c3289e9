import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../../test/support/fast-check.ts";
import { creditsAsNumber, formatCredits, readCredits } from "./credits.ts";

const amounts: readonly (readonly [string, bigint | null])[] = [
  ["0", 0n],
  ["1", 1_000_000_000n],
  ["12.5", 12_500_000_000n],
  ["0.000001", 1000n],
  ["1000000", 1_000_000_000_000_000n],
  ["1000000000", 1_000_000_000_000_000_000n],
  ["1000000000.000001", null],
  ["0.0000001", null],
  ["-1", null],
  ["+1", null],
  ["1e3", null],
  ["1,5", null],
  [".5", null],
  ["5.", null],
  ["", null],
  [" 1", null],
  ["NaN", null],
];
for (const [text, nano] of amounts) {
  test(`"${text}" credits are ${nano ?? "no amount"}`, () => assert.equal(readCredits(text), nano));
}

test("a formatted amount reads as the same amount, to the millionth", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), (millionths) => {
      assert.equal(readCredits(formatCredits(millionths * 1000n)), millionths * 1000n);
    }),
  );
});

test("amounts are formatted with all their decimals and no more", () => {
  assert.equal(formatCredits(0n), "0");
  assert.equal(formatCredits(1n), "0.000000001");
  assert.equal(formatCredits(-500_000_000n), "-0.5");
  assert.equal(formatCredits(10_000_000_000n), "10");
  assert.equal(creditsAsNumber(-1_234_567_890n), -1.23456789);
});
