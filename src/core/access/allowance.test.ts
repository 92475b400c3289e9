import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../../test/support/fast-check.ts";
import {
  type Allowance,
  type AllowanceVerdict,
  drawAllowance,
  drawTokens,
  returnToAllowance,
  peekAllowance,
} from "./allowance.ts";

/** Takes a request at each of these times, milliseconds. */
function drawAt(times: readonly number[], perMinute: number): AllowanceVerdict[] {
  let allowance: Allowance | undefined;
  return times.map((nowMs) => {
    const verdict = drawAllowance(allowance, perMinute, nowMs);
    allowance = verdict.allowance;
    return verdict;
  });
}

test("a full allowance is granted at once, one more request is not", () => {
  const verdicts = drawAt([0, 0, 0, 0], 3);
  assert.deepEqual(
    verdicts.map(({ isGranted, remaining }) => [isGranted, remaining]),
    [
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
    ],
  );
});

test("the refill is even: of 60 per minute one is back after a second, not before", () => {
  const times = [...Array.from({ length: 60 }, () => 0), 999, 1000, 1000];
  assert.deepEqual(
    drawAt(times, 60)
      .slice(60)
      .map(({ isGranted }) => isGranted),
    [false, true, false],
  );
});

test("a denied request takes nothing and says when the next is granted", () => {
  const verdict = drawAt([0, 0, 0, 0], 2).at(-1);
  assert.deepEqual([verdict?.isGranted, verdict?.retryAfterMs, verdict?.resetMs], [false, 30_000, 60_000]);
  // A granted request has no wait, not even the last of an allowance.
  for (const perMinute of [1, 2, 3]) assert.equal(drawAt([0], perMinute)[0]?.retryAfterMs, 0);
});

test("an allowance never holds more than a minute's worth", () => {
  const verdicts = drawAt([0, 1e9, 1e9, 1e9], 2);
  assert.deepEqual(
    verdicts.map(({ isGranted }) => isGranted),
    [true, true, true, false],
  );
});

test("the promised wait holds with a fractional clock", () => {
  const rejected = drawAt([0.7, 0.7], 1).at(-1);
  assert.equal(drawAllowance(rejected?.allowance, 1, 0.7 + (rejected?.retryAfterMs ?? 0)).isGranted, true);
});

test("an allowance of zero grants nothing", () => {
  for (const perMinute of [0, -1]) {
    const [verdict] = drawAt([5], perMinute);
    assert.deepEqual([verdict?.isGranted, verdict?.remaining, verdict?.retryAfterMs], [false, 0, 60_000]);
  }
});

test("peeking takes nothing and includes the refill", () => {
  assert.deepEqual(peekAllowance(undefined, 2, 0), { remaining: 2, resetMs: 0 });
  const drawn = drawAt([0, 0], 2).at(-1)?.allowance;
  assert.deepEqual(peekAllowance(drawn, 2, 0), { remaining: 0, resetMs: 60_000 });
  assert.deepEqual(peekAllowance(drawn, 2, 30_000), { remaining: 1, resetMs: 30_000 });
  assert.deepEqual(peekAllowance(drawn, 2, 1e9), { remaining: 2, resetMs: 0 });
  assert.deepEqual(peekAllowance(drawn, 0, 1e9), { remaining: 0, resetMs: 60_000 });
});

const drawing = fc.record({
  perMinute: fc.integer({ min: 1, max: 40 }),
  waits: fc.array(fc.oneof(fc.nat({ max: 20 }), fc.nat({ max: 4000 }), fc.constant(60_000)), { maxLength: 120 }),
});

test("no interval grants more than the limit plus the refill of that interval", () => {
  fc.assert(
    fc.property(drawing, ({ perMinute, waits }) => {
      let nowMs = 0;
      const times = waits.map((wait) => (nowMs += wait));
      const granted = drawAt(times, perMinute).flatMap(({ isGranted }, at) => (isGranted ? [times[at] ?? 0] : []));
      for (const [first, from] of granted.entries()) {
        for (let last = first; last < granted.length; last++) {
          const refill = (((granted[last] ?? 0) - from) * perMinute) / 60_000;
          assert.ok(last - first + 1 <= perMinute + refill + 1e-6, `${last - first + 1} from ${from}`);
        }
      }
    }),
    { numRuns: 100 },
  );
});

test("a denied request is granted after the promised wait, and not before", () => {
  fc.assert(
    fc.property(drawing, ({ perMinute, waits }) => {
      let nowMs = 0;
      const times = waits.map((wait) => (nowMs += Math.min(wait, 20)));
      const last = drawAt(times, perMinute).at(-1);
      if (last === undefined) return;
      assert.ok(last.remaining >= 0 && last.remaining <= perMinute && Number.isInteger(last.remaining));
      assert.ok(last.resetMs >= last.retryAfterMs);
      const whole = drawAllowance(last.allowance, perMinute, nowMs + last.resetMs);
      assert.equal(whole.remaining, perMinute - 1);
      if (last.isGranted) return;
      assert.equal(drawAllowance(last.allowance, perMinute, nowMs + last.retryAfterMs).isGranted, true);
      assert.equal(drawAllowance(last.allowance, perMinute, nowMs + last.retryAfterMs - 2).isGranted, false);
    }),
    { numRuns: 300 },
  );
});

test("tokens are drawn whole or not at all; what was used beyond is a debt that is refilled first", () => {
  const first = drawTokens(undefined, 600, 0, 500);
  assert.deepEqual([first.isGranted, first.remaining], [true, 100]);
  const denied = drawTokens(first.allowance, 600, 0, 101);
  assert.deepEqual([denied.isGranted, denied.remaining, denied.retryAfterMs], [false, 100, 100]);
  const used = returnToAllowance(first.allowance, 600, 0, -200);
  const indebted = drawTokens(used, 600, 10_000, 1);
  assert.deepEqual([indebted.isGranted, indebted.remaining, indebted.retryAfterMs], [false, 0, 100]);
  assert.equal(drawTokens(used, 600, 10_100, 1).isGranted, true);
});

test("more tokens than an allowance holds are drawn when it is full", () => {
  const drawn = drawTokens(undefined, 600, 0, 1_200);
  assert.equal(drawn.isGranted, true);
  assert.equal(drawTokens(drawn.allowance, 600, 119_000, 1_200).isGranted, false);
  assert.equal(drawTokens(drawn.allowance, 600, 120_000, 1_200).isGranted, true);
});
