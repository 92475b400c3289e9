import assert from "node:assert/strict";
import { test } from "node:test";
import {
  describeDistance,
  describeRest,
  formatCredits,
  formatDollars,
  formatExactCredits,
  formatTime,
} from "./format.ts";
import { LOCALE } from "./locale.ts";

test("the time left has its two largest units, and counts down to zero", () => {
  const rows = [
    [7 * 86_400, "7 d 0 h"],
    [86_399.5, "1 d 0 h"],
    [86_399, "23 h 59 min"],
    [3600, "1 h 0 min"],
    [61, "1 min 1 s"],
    [0.2, "1 s"],
    [0, "0 s"],
    [-5, "0 s"],
  ] as const;
  for (const [seconds, text] of rows) assert.equal(describeRest(seconds * 1000), text);
});

test("an amount has two decimals, and more only below a hundredth", () => {
  assert.equal(LOCALE.slice(0, 2), "en", "the rows below are in English");
  const rows = [
    [0, "0.00", "$0.00"],
    [1234.5678, "1,234.57", "$1,234.57"],
    [0.01, "0.01", "$0.01"],
    [0.00996, "0.01", "$0.01"],
    [0.001234, "0.0012", "$0.0012"],
    [0.000000001, "0.000000001", "$0.000000001"],
    [-0.0042, "-0.0042", "-$0.0042"],
  ] as const;
  for (const [amount, credits, dollars] of rows) {
    assert.deepEqual([formatCredits(amount), formatDollars(amount)], [credits, dollars]);
  }
  assert.equal(formatExactCredits(1234.567800001), "1,234.567800001");
});

test("a time is near in words and far by its date, with its year if it is another one", () => {
  const now = Date.UTC(2026, 10, 23, 15, 30);
  const at = now / 1000;
  const rows = [
    [0, "now"],
    [-59, "59 sec. ago"],
    [-60, "1 min. ago"],
    [-3599, "59 min. ago"],
    [-86_399, "23 hr. ago"],
    [7200, "in 2 hr."],
    [-86_400, null],
    [86_400, null],
  ] as const;
  for (const [seconds, words] of rows) {
    assert.equal(describeDistance(at + seconds, now)?.replaceAll(".", ""), words?.replaceAll(".", ""));
  }
  assert.doesNotMatch(formatTime(at, now).text, /2026/);
  assert.match(formatTime(at - 365 * 86_400, now).text, /2025/);
  assert.match(formatTime(at, now).full, /\n2026-11-23 15:30:00 UTC$/);
});
