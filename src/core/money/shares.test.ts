import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS } from "../../base/time.ts";
import { billingDayOf } from "./billing-day.ts";
import { forecastEnd, reachedDownwards, reachedUpwards } from "./shares.ts";

const UP = [50, 80, 100] as const;
const DOWN = [20, 5, 0] as const;

test("a charge reaches the largest share that it crosses, and each share once", () => {
  const grow = (beforeNano: bigint, afterNano: bigint) =>
    reachedUpwards(UP, { wholeNano: 1000n, beforeNano, afterNano });
  for (const [before, after, reached] of [
    [0n, 499n, null],
    [0n, 500n, 50],
    [500n, 799n, null],
    [499n, 800n, 80],
    [0n, 1000n, 100],
    [999n, 1200n, 100],
    [1000n, 1200n, null],
    [600n, 600n, null],
  ] as const) {
    assert.equal(grow(before, after), reached, `${before} to ${after}`);
  }
});

test("a budget of zero is used up from the start, and never reached", () => {
  assert.equal(reachedUpwards(UP, { wholeNano: 0n, beforeNano: 0n, afterNano: 5n }), null);
});

test("a balance reaches the smallest share that it crosses", () => {
  const shrink = (beforeNano: bigint, afterNano: bigint) =>
    reachedDownwards(DOWN, { wholeNano: 1000n, beforeNano, afterNano });
  for (const [before, after, reached] of [
    [1000n, 201n, null],
    [201n, 200n, 20],
    [200n, 51n, null],
    [1000n, 50n, 5],
    [1000n, 0n, 0],
    [0n, 0n, null],
  ] as const) {
    assert.equal(shrink(before, after), reached, `${before} to ${after}`);
  }
});

test("a budget's end is forecast from the pace of its period so far", () => {
  const periodFrom = billingDayOf(Date.UTC(2026, 10, 1));
  const at = (day: number) => Date.UTC(2026, 10, 1) + day * DAY_MS;
  const month = { period: "month", periodFrom, limitNano: 100n } as const;
  assert.equal(forecastEnd({ ...month, spentNano: 50n }, at(10)), at(20));
  // 30 days: exactly the end of the period is no longer within it.
  assert.equal(forecastEnd({ ...month, spentNano: 50n }, at(15)), null);
  assert.equal(forecastEnd({ ...month, spentNano: 0n }, at(10)), null);
  assert.equal(forecastEnd({ ...month, spentNano: 100n }, at(10)), at(10));
  assert.equal(forecastEnd({ ...month, period: "total", periodFrom: 0, spentNano: 50n }, at(10)), null);
  assert.equal(forecastEnd({ ...month, spentNano: 50n }, at(0)), null);
});
