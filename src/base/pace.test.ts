import assert from "node:assert/strict";
import { test } from "node:test";
import { paceAfter } from "./pace.ts";

const PACE = { least: 8, most: 48, perMs: 5 };

for (const [lastTurnMs, count] of [
  [0, 8],
  [1.6, 8],
  [2, 10],
  [2.01, 11],
  [9.6, 48],
  [10, 48],
  [5000, 48],
] as const) {
  test(`after a turn of ${lastTurnMs} ms, ${count} units are done`, () =>
    assert.equal(paceAfter(PACE, lastTurnMs), count));
}
