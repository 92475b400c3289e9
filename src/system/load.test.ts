import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../ports/clock.ts";
import { startLoadMeter } from "./load.ts";

/** A clock whose single timer fires with a given delay. */
function createLateClock() {
  let now = 0;
  let pending: { at: number; callback: () => void } | null = null;
  const clock: Clock = {
    nowMs: () => now,
    monotonicMs: () => now,
    after: (milliseconds, callback) => {
      pending = { at: now + milliseconds, callback };
      return () => {
        pending = null;
      };
    },
  };
  /** Fires the pending timer that many milliseconds late. */
  const fire = (late: number) => {
    if (pending === null) throw new Error("no timer is pending");
    const { at, callback } = pending;
    now = at + late;
    callback();
  };
  return { clock, fire, now: () => now, isPending: () => pending !== null };
}

test("a punctual loop is never overloaded", () => {
  const { clock, fire } = createLateClock();
  const load = startLoadMeter(clock);
  for (let round = 0; round < 500; round++) fire(round % 60);
  assert.equal(load.isOverloaded(), false);
});

test("a short stall is tolerated; lasting lag overloads within five seconds", () => {
  const { clock, fire, now } = createLateClock();
  const load = startLoadMeter(clock);
  fire(150);
  assert.equal(load.isOverloaded(), false);
  for (let round = 0; round < 50; round++) fire(0);
  const from = now();
  while (!load.isOverloaded()) fire(2000);
  assert.ok(now() - from < 5000, `took ${now() - from} ms`);
});

test("even after a long stall, responses are accepted again within two seconds", () => {
  const { clock, fire, now } = createLateClock();
  const load = startLoadMeter(clock);
  fire(60_000);
  assert.equal(load.isOverloaded(), true);
  const from = now();
  while (load.isOverloaded()) fire(1);
  assert.ok(now() - from < 2000, `took ${now() - from} ms`);
});

test("between the two thresholds the state does not change", () => {
  const { clock, fire } = createLateClock();
  const load = startLoadMeter(clock);
  for (let round = 0; round < 200; round++) fire(700);
  assert.equal(load.isOverloaded(), false);
  for (let round = 0; round < 200; round++) fire(3000);
  assert.equal(load.isOverloaded(), true);
  for (let round = 0; round < 200; round++) fire(700);
  assert.equal(load.isOverloaded(), true);
  for (let round = 0; round < 200; round++) fire(20);
  assert.equal(load.isOverloaded(), false);
});

test("a stopped meter leaves no timer", () => {
  const { clock, fire, isPending } = createLateClock();
  const load = startLoadMeter(clock);
  fire(0);
  load.stop();
  assert.equal(isPending(), false);
});
