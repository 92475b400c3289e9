import assert from "node:assert/strict";
import { test } from "node:test";
import { delayOfRestart } from "./back-off.ts";

test("a process that ends at once each time is started after longer and longer delays", () => {
  const delays: number[] = [];
  for (let times = 0; times < 9; times++) delays.push(delayOfRestart(100, delays.at(-1) ?? 0));
  assert.deepEqual(delays, [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
});

test("a process that has served for a while is started again at once, and the delays begin anew", () => {
  const afterLife = delayOfRestart(10_000, 30_000);
  assert.deepEqual([afterLife, delayOfRestart(100, afterLife)], [0, 500]);
});
