import assert from "node:assert/strict";
import { test } from "node:test";
import {
  budgetReachedMessage,
  budgetUsedUpMessage,
  creditsUsedUpMessage,
  formatSpent,
  responseLimitMessage,
  tooFewCreditsMessage,
  toTenths,
} from "./messages.ts";

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

test("a balance that is too small never reads as enough, and what running responses have reserved is no part of it", () => {
  const short = { creditsNano: credits(1.28), neededNano: credits(1.281) };
  const alone = "Your organization's balance of 1.2 credits is too low to start this turn, which reserves 1.3 credits.";
  assert.equal(tooFewCreditsMessage({ ...short, heldNano: 0n }), alone);
  const held = `${alone} Running turns have reserved another 8.0 credits.`;
  assert.equal(tooFewCreditsMessage({ ...short, heldNano: credits(8) }), held);
});

const response = { ownNano: 0n, neededNano: credits(3) };

test("the message about a used-up budget names its owner, its period, what is spent and what is reserved", () => {
  const limitNano = credits(10);
  const rows = [
    [
      { scope: "key", period: "day", spentNano: credits(9.5), heldNano: credits(0.5) },
      "The spending limit of this API key for the day has nothing left: 9.5 of 10.0 credits are spent, and 0.5 are reserved for running turns. This turn reserves up to 3.0 credits to start.",
    ],
    [
      { scope: "member", period: "month", spentNano: 0n, heldNano: credits(10) },
      "The spending limit of the member whose API key this is for the month has nothing left: 0.0 of 10.0 credits are spent, and 10.0 are reserved for running turns. This turn reserves up to 3.0 credits to start.",
    ],
    [
      { scope: "organization", period: "total", spentNano: credits(10), heldNano: 0n },
      "The spending limit of your organization is used up: 10.0 of 10.0 credits are spent.",
    ],
    [
      { scope: "organization-day", period: "day", spentNano: credits(11), heldNano: credits(1) },
      "The spending limit of your organization for the day is used up: 11.0 of 10.0 credits are spent, and 1.0 are reserved for running turns.",
    ],
  ] as const;
  for (const [budget, message] of rows)
    assert.equal(budgetUsedUpMessage({ ...response, ...budget, limitNano }), message);
});

test("the message about a budget that a running response has reached tells what is spent, what is reserved, and its need", () => {
  const budget = { scope: "organization", period: "day", limitNano: credits(10), neededNano: credits(0.5) } as const;
  const reached = "The spending limit of your organization for the day was reached while this response was running: ";
  const rows = [
    [0, 10, 10, "0.0 of 10.0 credits are spent, and 10.0 are reserved for this turn. This turn needs 10.5"],
    [
      4,
      6,
      2,
      "4.0 of 10.0 credits are spent, and 6.0 are reserved for running turns, 2.0 of them for this one. This turn needs 2.5",
    ],
    [9.8, 0.2, 0, "9.8 of 10.0 credits are spent, and 0.2 are reserved for running turns. This turn needs 0.5"],
    [10, 0, 0, "10.0 of 10.0 credits are spent. This turn needs 0.5"],
  ] as const;
  for (const [spent, held, own, figures] of rows) {
    const amounts = { spentNano: credits(spent), heldNano: credits(held), ownNano: credits(own) };
    assert.equal(budgetReachedMessage({ ...budget, ...amounts }), `${reached}${figures} credits to go on.`);
  }
});

test("the message about the limit of a response tells what it has spent and what it needs", () => {
  const figures = { spentNano: credits(9.7), limitNano: credits(10), ownNano: credits(10), neededNano: credits(0.31) };
  assert.equal(
    responseLimitMessage(figures),
    "This response reached its spending limit: 9.7 of 10.0 credits are spent. It needs 10.4 credits to go on.",
  );
});

test("the message about a balance that a running response has used up tells what others have reserved of it", () => {
  const figures = {
    spentNano: credits(4.1),
    creditsNano: credits(0.19),
    ownNano: credits(4.2),
    neededNano: credits(0.2),
  };
  const alone =
    "Your organization ran out of credits while this response was running: it has spent 4.1 credits and needs 4.4 to go on, of which 4.2 are reserved for it. The balance has 0.1 credits left";
  assert.equal(creditsUsedUpMessage({ ...figures, heldNano: credits(4.2) }), `${alone}.`);
  assert.equal(
    creditsUsedUpMessage({ ...figures, heldNano: credits(7.2) }),
    `${alone}, and 3.0 credits are reserved for other running turns.`,
  );
});
