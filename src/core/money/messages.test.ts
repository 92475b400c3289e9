import assert from "node:assert/strict";
import { test } from "node:test";
import { budgetUsedUpMessage, tooFewCreditsMessage, formatSpent, toTenths } from "./messages.ts";

const credits = (amount: number) => BigInt(Math.round(amount * 1e9));

test("amounts are credits to one decimal place", () => {
  for (const [amount, down, halfUp, up] of [
    [0, "0.0", "0.0", "0.0"],
    [0.000000001, "0.0", "0.0", "0.1"],
    [0.05, "0.0", "0.1", "0.1"],
    [0.1, "0.1", "0.1", "0.1"],
    [9.949999999, "9.9", "9.9", "10.0"],
    [9.95, "9.9", "10.0", "10.0"],
    [1234.56, "1234.5", "1234.6", "1234.6"],
  ] as const) {
    const shown = (["down", "half-up", "up"] as const).map((rounding) => toTenths(credits(amount), rounding));
    assert.deepEqual(shown, [down, halfUp, up], `${amount}`);
  }
});

test("an amount below a limit never reads as the limit", () => {
  for (const [spent, limit, shown] of [
    [9.96, 10, "9.9 of 10.0"],
    [10, 10, "10.0 of 10.0"],
    [10.2, 10, "10.2 of 10.0"],
    [3.46, 10, "3.5 of 10.0"],
    [0.04, 0.05, "0.0 of 0.1"],
    [0, 0, "0.0 of 0.0"],
  ] as const) {
    assert.equal(formatSpent({ spentNano: credits(spent), limitNano: credits(limit) }), shown);
  }
});

test("a balance that is too small never reads as enough", () => {
  assert.match(
    tooFewCreditsMessage({ creditsNano: credits(1.28), neededNano: credits(1.281) }),
    /1\.2 credits.* 1\.3 credits/,
  );
});

test("the message about a used-up budget names its owner, its period and its amounts", () => {
  const budget = { spentNano: credits(9.5), limitNano: credits(10), heldNano: credits(0.5) };
  assert.equal(
    budgetUsedUpMessage({ ...budget, scope: "key", period: "day" }),
    "The spending limit of this API key for the day is used up: 9.5 of 10.0 credits are spent, and 0.5 are reserved for running turns.",
  );
  assert.equal(
    budgetUsedUpMessage({ ...budget, spentNano: credits(10), heldNano: 0n, scope: "organization", period: "total" }),
    "The spending limit of your organization is used up: 10.0 of 10.0 credits are spent.",
  );
});
