import assert from "node:assert/strict";
import { test } from "node:test";
import { sayBudgetTooSmall, sayCreditsTooFew, showSpent, toTenths } from "./spend.ts";

const credits = (amount: number) => BigInt(Math.round(amount * 1e9));

test("figures are credits to one decimal place", () => {
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

test("what is below a limit never reads as the limit", () => {
  for (const [spent, limit, shown] of [
    [9.96, 10, "9.9 of 10.0"],
    [10, 10, "10.0 of 10.0"],
    [10.2, 10, "10.2 of 10.0"],
    [3.46, 10, "3.5 of 10.0"],
    [0.04, 0.05, "0.0 of 0.1"],
    [0, 0, "0.0 of 0.0"],
  ] as const) {
    assert.equal(showSpent({ spentNano: credits(spent), limitNano: credits(limit) }), shown);
  }
});

test("a balance that is too small never reads as enough", () => {
  assert.match(
    sayCreditsTooFew({ creditsNano: credits(1.28), neededNano: credits(1.281) }),
    /1\.2 credits.* 1\.3 credits/,
  );
});

test("a budget that is too small is told by whose it is, its period, and its figures", () => {
  const budget = { spentNano: credits(9.5), limitNano: credits(10), heldNano: credits(0.4), neededNano: credits(0.11) };
  assert.equal(
    sayBudgetTooSmall({ ...budget, scope: "key", period: "day" }),
    "The spending limit of this API key for the day leaves too little for this turn: 9.5 of 10.0 credits are spent, " +
      "0.4 are held for running turns, and the turn sets 0.2 aside.",
  );
  assert.match(
    sayBudgetTooSmall({ ...budget, heldNano: 0n, scope: "organization", period: "total" }),
    /limit of your organization leaves.*9\.5 of 10\.0 credits are spent, and/,
  );
});
