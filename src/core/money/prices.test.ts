import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "../../../test/support/fast-check.ts";
import type { Usage } from "../../contract/resources.ts";
import { chargeOf, costOf, formatUsd, outputPaidBy, type Prices, pricesAt, savedBy, snapshotPrices } from "./prices.ts";

const prices = (input: number, output: number, more: Partial<Prices> = {}): Prices => ({
  input,
  cached_input: input,
  cache_write: input,
  output,
  ...more,
});

const usage = (input: number, output: number, cached = 0, written = 0): Usage => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: input + output,
});

const snapshotOf = (...given: Parameters<typeof snapshotPrices>) =>
  snapshotPrices(...given) ?? assert.fail("the model is free");

describe("a price in USD per million tokens is an integer of nano-credits per million tokens", () => {
  for (const [usd, usdPerCredit, nano] of [
    [1, 0.01, 100_000_000_000],
    [0.075, 0.01, 7_500_000_000],
    [0.1, 0.1, 1_000_000_000],
    [0.3, 0.1, 3_000_000_000],
    [1e-7, 0.01, 10_000],
    [1e-9, 1, 1],
    [2e-10, 1, 0],
    [5e-10, 1, 1],
    [1, 3, 333_333_333],
    [2, 3, 666_666_667],
    [10_000, 0.01, 10 ** 15],
    [1e21, 1e21, 1_000_000_000],
  ] as const) {
    test(`${usd} at ${usdPerCredit} USD a credit is ${nano}`, () => {
      assert.equal(snapshotOf({ prices: prices(usd, 1e-9) }, usdPerCredit).input, nano);
    });
  }

  test("a price above one credit per token throws, and the error names the price", () => {
    assert.throws(
      () => snapshotPrices({ prices: prices(1, 10_000.1) }, 0.01),
      (error) => error instanceof RangeError && /output at 10000\.1 USD/.test(error.message),
    );
  });

  test("a model without prices above zero is free, whatever its tiers", () => {
    assert.equal(snapshotPrices({ prices: prices(0, 0) }, 0.01), null);
    assert.equal(
      snapshotPrices({ prices: prices(0, 0), tiers: [{ aboveInputTokens: 5, prices: prices(0, 0) }] }, 0.01),
      null,
    );
    assert.notEqual(
      snapshotPrices({ prices: prices(0, 0), tiers: [{ aboveInputTokens: 5, prices: prices(0, 1) }] }, 0.01),
      null,
    );
  });
});

describe("a charge", () => {
  // One credit is 1 USD: nano-credits per million tokens are thousandths a token.
  const snapshot = snapshotOf({ prices: prices(4, 20, { cached_input: 0.5, cache_write: 5 }) }, 1);

  test("counts each kind of token at its price", () => {
    assert.equal(chargeOf(snapshot, usage(1000, 100)), 1000n * 4000n + 100n * 20_000n);
    assert.equal(chargeOf(snapshot, usage(1000, 0, 300, 200)), 500n * 4000n + 300n * 500n + 200n * 5000n);
    assert.equal(chargeOf(snapshot, usage(0, 0)), 0n);
  });

  test("is rounded up once, at its end", () => {
    const tiny = snapshotOf({ prices: prices(1e-9, 1e-9) }, 1);
    assert.equal(chargeOf(tiny, usage(1, 0)), 1n);
    assert.equal(chargeOf(tiny, usage(500_000, 500_000)), 1n);
    assert.equal(chargeOf(tiny, usage(500_001, 500_000)), 2n);
  });

  test("of a longer input than a tier's threshold is at that tier's prices for all tokens", () => {
    const tiered = snapshotOf(
      {
        prices: prices(1, 2),
        tiers: [
          { aboveInputTokens: 200, prices: prices(5, 6) },
          { aboveInputTokens: 100, prices: prices(3, 4) },
        ],
      },
      1,
    );
    for (const [input, charge] of [
      [100, 100n * 1000n + 2000n],
      [101, 101n * 3000n + 4000n],
      [200, 200n * 3000n + 4000n],
      [201, 201n * 5000n + 6000n],
    ] as const) {
      assert.equal(chargeOf(tiered, usage(input, 1)), charge);
      assert.equal(costOf(tiered, input, 1), charge);
    }
  });

  test("equals the exact sum, rounded up", () => {
    const amount = fc.integer({ min: 0, max: 1_000_000_000 });
    const price = fc.integer({ min: 0, max: 10 ** 15 });
    fc.assert(
      fc.property(fc.tuple(amount, amount, amount, amount), fc.tuple(price, price, price, price), (tokens, costs) => {
        const [fresh, cached, written, output] = tokens;
        const [input, cached_input, cache_write, out] = costs;
        const exact = { input, cached_input, cache_write, output: out, tiers: [] };
        const charge = chargeOf(exact, usage(fresh + cached + written, output, cached, written));
        const sum = tokens.reduce((total, count, index) => {
          const cost = [input, cached_input, cache_write, out][index] ?? 0;
          return total + BigInt(count) * BigInt(cost);
        }, 0n);
        assert.ok(charge * 1_000_000n >= sum && (charge - 1n) * 1_000_000n < sum);
        if (sum <= BigInt(Number.MAX_SAFE_INTEGER)) assert.equal(Number(charge), Math.ceil(Number(sum) / 1_000_000));
        assert.ok(charge < 2n ** 63n, "a database holds it");
      }),
    );
  });

  test("is never more than the hold for as many tokens of the same tier", () => {
    const count = fc.integer({ min: 0, max: 1_000_000 });
    fc.assert(
      fc.property(count, count, count, count, (fresh, cached, written, output) => {
        const input = fresh + cached + written;
        assert.ok(chargeOf(snapshot, usage(input, output, cached, written)) <= costOf(snapshot, input, output));
      }),
    );
  });

  test("is never below zero, however inconsistent the provider's usage", () => {
    assert.equal(chargeOf(snapshot, usage(10, 0, 10, 10)), 10n * 500n + 10n * 5000n);
  });
});

test("an estimate costs as much as any smaller count, also where a tier of longer inputs is cheaper", () => {
  const tiers = [
    { above_input_tokens: 20, ...prices(3, 30, { cached_input: 1, cache_write: 2 }) },
    { above_input_tokens: 40, ...prices(5, 1) },
  ];
  const falling = { ...prices(4, 20, { cached_input: 1, cache_write: 6 }), tiers };
  for (let estimate = 0; estimate <= 60; estimate++) {
    for (let input = 0; input <= estimate; input++) {
      for (const [cached, written] of [
        [0, 0],
        [input, 0],
        [0, input],
      ] as const) {
        assert.ok(chargeOf(falling, usage(input, 7, cached, written)) <= costOf(falling, estimate, 7));
      }
    }
  }
  assert.equal(costOf(falling, 50, 1_000_000), 30n + 1n, "the highest price of each kind, rounded up");
  assert.equal(costOf(falling, 20, 1_000_000), 20n + 1n, "none of a tier beyond the estimate");
});

test("the highest tier below the input applies", () => {
  const snapshot = { ...prices(1, 1), tiers: [{ above_input_tokens: 10, ...prices(2, 2) }] };
  assert.equal(pricesAt(snapshot, 10).input, 1);
  assert.equal(pricesAt(snapshot, 11).input, 2);
});

test("the output that an amount pays for costs no more than the amount, and one more token does", () => {
  const snapshot = snapshotOf({ prices: prices(3, 7.3, { cached_input: 0.5, cache_write: 5 }) }, 1);
  const count = fc.integer({ min: 0, max: 1_000_000 });
  fc.assert(
    fc.property(
      count,
      count,
      fc.bigInt({ min: 0n, max: 10n ** 12n }),
      fc.boolean(),
      (input, cached, amount, isReported) => {
        const priced = isReported ? usage(input + cached, 0, cached) : input;
        const paid = outputPaidBy(snapshot, priced, amount);
        if (paid >= 0) assert.ok(costOf(snapshot, priced, paid) <= amount);
        assert.ok(costOf(snapshot, priced, Math.max(0, paid + 1)) > amount);
      },
    ),
  );
  const freeOutput = snapshotOf({ prices: prices(1, 0) }, 1);
  assert.equal(outputPaidBy(freeOutput, 10, 10_000n), Number.POSITIVE_INFINITY);
  assert.equal(outputPaidBy(freeOutput, 11, 10_000n), -1);
});

test("cached tokens save the difference to the price of input, of the tier that applies", () => {
  const long = { aboveInputTokens: 1000, prices: prices(8, 40, { cached_input: 2 }) };
  const snapshot = snapshotOf({ prices: prices(4, 20, { cached_input: 0.5 }), tiers: [long] }, 1);
  assert.equal(savedBy(snapshot, usage(1000, 100)), 0n);
  assert.equal(savedBy(snapshot, usage(1000, 100, 300, 200)), 300n * 3500n);
  assert.equal(savedBy(snapshot, usage(1001, 100, 300)), 300n * 6000n);
  assert.equal(savedBy(snapshotOf({ prices: prices(3e-7, 0, { cached_input: 0 }) }, 1), usage(9, 0, 9)), 0n);
  assert.equal(savedBy(snapshotOf({ prices: prices(1, 0, { cached_input: 2 }) }, 1), usage(9, 0, 3)), -3000n);
});

test("an amount in USD has all its decimals, whatever a credit is worth", () => {
  for (const [nano, usdPerCredit, text] of [
    [0n, 0.01, "0"],
    [1n, 0.01, "0.00000000001"],
    [1_500_000_000n, 0.01, "0.015"],
    [100_000_000_000n, 0.01, "1"],
    [1n, 1e-7, "0.0000000000000001"],
    [3n, 250, "0.00000075"],
    [9_000_000_000_000_000_001n, 0.01, "90000000.00000000001"],
    [7_000_000_000n, 1_000_000, "7000000"],
    [1_000_000_000n, 0.0123, "0.0123"],
  ] as const) {
    assert.equal(formatUsd(nano, usdPerCredit), text);
  }
});
