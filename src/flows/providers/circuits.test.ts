import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { fails } from "../../../test/support/scripted-provider.ts";
import { type Circuits, createCircuits } from "./circuits.ts";

let clock: FakeClock;
let circuits: Circuits;
beforeEach(() => {
  clock = new FakeClock();
  circuits = createCircuits(clock);
});

const down = fails("provider_unavailable");
const rests = () => circuits.readinessOf("a/m").restsForMs;
const fail = (failure = down) => circuits.watch("a/m").ended(failure);

test("three failures in a row open a circuit for ten seconds; a success in between counts them anew", () => {
  fail();
  fail();
  circuits.watch("a/m").ended(null);
  fail();
  fail();
  assert.equal(rests(), 0);
  fail();
  assert.equal(rests(), 10_000);
  assert.deepEqual(circuits.stateOf("a/m"), { state: "open", restsForMs: 10_000, failures: 3 });
  assert.deepEqual(circuits.readinessOf("b/m"), { restsForMs: 0, askedForMs: 0 });
});

test("after its rest one turn tries a target; others leave it alone meanwhile", async () => {
  for (let count = 0; count < 3; count++) fail();
  await clock.advance(10_000);
  assert.deepEqual([rests(), circuits.stateOf("a/m").state], [0, "half_open"]);
  const trial = circuits.watch("a/m");
  assert.ok(rests() > 0);
  trial.outputBegan();
  assert.deepEqual([rests(), circuits.stateOf("a/m").state], [0, "closed"]);
});

test("each try that fails doubles the rest, up to two minutes; an answer begins anew", async () => {
  for (let count = 0; count < 3; count++) fail();
  for (const seconds of [10, 20, 40, 80, 120, 120]) {
    assert.equal(rests(), seconds * 1000);
    await clock.advance(seconds * 1000);
    fail();
  }
  await clock.advance(120_000);
  circuits.watch("a/m").ended(null);
  for (let count = 0; count < 3; count++) fail();
  assert.equal(rests(), 10_000);
});

test("a try that was stopped decides nothing: the next turn tries the target", async () => {
  for (let count = 0; count < 3; count++) fail();
  await clock.advance(10_000);
  const trial = circuits.watch("a/m");
  trial.release();
  assert.deepEqual([rests(), circuits.stateOf("a/m").state], [0, "half_open"]);
});

test("turns that were under way when a circuit opened do not lengthen its rest, nor end it", async () => {
  const early = [circuits.watch("a/m"), circuits.watch("a/m")] as const;
  for (let count = 0; count < 3; count++) fail();
  await clock.advance(1000);
  early[0].ended(down);
  early[1].ended(null);
  assert.equal(rests(), 9000);
});

test("a target that is asked although it rests, and answers, is awake", async () => {
  for (let count = 0; count < 3; count++) fail();
  circuits.watch("a/m").outputBegan();
  assert.equal(rests(), 0);
});

test("a wait that a provider asks for is kept, an hour at most, and opens nothing", async () => {
  for (let count = 0; count < 5; count++) fail(fails("provider_rate_limited", { retryAfterSeconds: 30 }));
  assert.deepEqual(circuits.readinessOf("a/m"), { restsForMs: 30_000, askedForMs: 30_000 });
  await clock.advance(30_000);
  assert.deepEqual(circuits.stateOf("a/m"), { state: "closed", restsForMs: 0, failures: 0 });
  fail(fails("provider_overloaded", { retryAfterSeconds: 86_400 }));
  assert.equal(rests(), 3_600_000);
});

test("a wait of no time is none: the failure counts", () => {
  for (let count = 0; count < 3; count++) fail(fails("provider_rate_limited", { retryAfterSeconds: 0 }));
  assert.equal(rests(), 10_000);
});

test("a failure that is the request's shows that a target replies", () => {
  fail();
  fail();
  fail(fails("provider_client_error"));
  fail();
  assert.equal(rests(), 0);
});
