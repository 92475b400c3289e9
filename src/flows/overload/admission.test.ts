// docs/reliability.md, A-9
import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../contract/errors.ts";
import type { Owner } from "../../base/fair-capacity.ts";
import { ADMISSION, createAdmission } from "./admission.ts";

const clock = { nowMs: () => 0, monotonicMs: () => 0, after: () => () => {} };
const [a, b] = ["a", "b"].map((name) => ({ organizationId: name, keyId: name })) as [Owner, Owner];
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test("work over the limit is rejected at once, and admitted again when there is room", async () => {
  const admission = createAdmission(
    { max: 2, startsPerTurn: { least: 8, most: 8, perMs: 0 }, fewWaiting: 0, atWorkMax: 100 },
    clock,
  );
  const { promise, resolve } = Promise.withResolvers<void>();
  const held = [admission.during(a, () => promise), admission.during(a, () => promise)];
  await assert.rejects(
    admission.during(a, () => promise),
    (error: unknown) => error instanceof ApiError && error.code === "gateway_overloaded",
  );
  resolve();
  await Promise.all(held);
  assert.equal(await admission.during(a, () => Promise.resolve("in")), "in");
});

test("at most a fixed number start in one turn of the event loop, first come, first served", async () => {
  const admission = createAdmission(
    { max: 100, startsPerTurn: { least: 2, most: 2, perMs: 0 }, fewWaiting: 0, atWorkMax: 100 },
    clock,
  );
  const started: number[] = [];
  const all = [1, 2, 3, 4, 5].map((number) =>
    admission.during(a, () => {
      started.push(number);
      return Promise.resolve();
    }),
  );
  assert.deepEqual(started, [1, 2]);
  await nextTurn();
  assert.deepEqual(started, [1, 2, 3, 4]);
  await Promise.all(all);
  assert.deepEqual(started, [1, 2, 3, 4, 5]);
});

test("a long turn of the event loop lets more start in the next, up to a bound", async () => {
  let nowMs = 0;
  const moving = { ...clock, monotonicMs: () => nowMs };
  const admission = createAdmission(
    { max: 100, startsPerTurn: { least: 1, most: 5, perMs: 1 }, fewWaiting: 0, atWorkMax: 100 },
    moving,
  );
  let started = 0;
  const all = Array.from({ length: 20 }, () =>
    admission.during(a, () => {
      started++;
      return Promise.resolve();
    }),
  );
  const turnOf = async (milliseconds: number) => {
    const before = started;
    nowMs += milliseconds;
    await nextTurn();
    return started - before;
  };
  assert.equal(started, 1);
  assert.equal(await turnOf(0), 1);
  assert.equal(await turnOf(3), 3);
  assert.equal(await turnOf(100), 5);
  while (started < all.length) await turnOf(5);
  await Promise.all(all);
});

test("a few waiting creates let earlier ones begin first; many do not", async () => {
  const settings = { max: 100, startsPerTurn: { least: 2, most: 2, perMs: 0 }, fewWaiting: 2, atWorkMax: 100 };
  for (const [waiting, startedBefore] of [
    [2, 2],
    [3, 4],
  ] as const) {
    const admission = createAdmission(settings, clock);
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    let started = 0;
    const all = Array.from({ length: 2 + waiting }, () =>
      admission.during(a, () => {
        started++;
        return begun;
      }),
    );
    await nextTurn();
    await nextTurn();
    assert.equal(started, startedBefore);
    begin();
    await Promise.all(all);
    assert.equal(started, all.length);
  }
});

test("a later create does not overtake waiting ones", async () => {
  const admission = createAdmission(
    { max: 100, startsPerTurn: { least: 1, most: 1, perMs: 0 }, fewWaiting: 5, atWorkMax: 100 },
    clock,
  );
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const started: number[] = [];
  const ask = (number: number) =>
    admission.during(a, () => {
      started.push(number);
      return begun;
    });
  const all = [ask(1), ask(2)];
  await nextTurn();
  all.push(ask(3));
  assert.deepEqual(started, [1]);
  begin();
  await Promise.all(all);
  assert.deepEqual(started, [1, 2, 3]);
});

test("at most a fixed number begin while others settle; each end lets the next one begin", async () => {
  const startsPerTurn = { least: 2, most: 2, perMs: 0 };
  const admission = createAdmission({ max: 100, startsPerTurn, fewWaiting: 0, atWorkMax: 3 }, clock);
  const settled = Promise.withResolvers<void>();
  const begun = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  let started = 0;
  const all = begun.map(({ promise }) =>
    admission.during(a, () => {
      started++;
      return promise;
    }),
  );
  all.push(admission.finishing(() => settled.promise));
  assert.equal(started, 2);
  await nextTurn();
  await nextTurn();
  assert.equal(started, 2);
  settled.resolve();
  await nextTurn();
  await nextTurn();
  assert.equal(started, 3);
  begun[0]?.resolve();
  await nextTurn();
  await nextTurn();
  assert.equal(started, 4);
  for (const { resolve } of begun) resolve();
  await Promise.all(all);
});

test("a failure frees its place", async () => {
  const admission = createAdmission(
    { max: 1, startsPerTurn: { least: 1, most: 1, perMs: 0 }, fewWaiting: 0, atWorkMax: 100 },
    clock,
  );
  for (let round = 0; round < 3; round++) {
    await assert.rejects(
      admission.during(a, () => Promise.reject(new Error("no"))),
      /no/,
    );
  }
});

test("a turn that ends is counted, and never rejected", async () => {
  const admission = createAdmission(
    { max: 1, startsPerTurn: { least: 1, most: 1, perMs: 0 }, fewWaiting: 0, atWorkMax: 100 },
    clock,
  );
  const { promise, resolve } = Promise.withResolvers<void>();
  const ending = [admission.finishing(() => promise), admission.finishing(() => promise)];
  assert.equal(admission.admitted(), 2);
  assert.throws(() => admission.assertNotFull(), ApiError);
  resolve();
  await Promise.all(ending);
  admission.assertNotFull();
});

test("a key that floods is rejected beyond its share; the creates of others are admitted, and start in turn", async () => {
  const admission = createAdmission(ADMISSION, clock);
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  let flooded = 0;
  const flood = Array.from({ length: 300 }, () =>
    admission.during(a, () => {
      flooded++;
      return begun;
    }),
  );
  const outcomes = Promise.allSettled(flood);
  assert.throws(() => admission.assertRoom(a), { code: "gateway_overloaded" });
  admission.assertNotFull();
  admission.assertRoom(b);
  let hasStarted = false;
  const other = admission.during(b, () => Promise.resolve((hasStarted = true)));
  await nextTurn();
  assert.ok(hasStarted, "after one turn of the event loop, beside 250 that wait");
  assert.ok(flooded < 100, String(flooded));
  begin();
  const rejected = (await outcomes).filter(({ status }) => status === "rejected");
  assert.deepEqual([await other, 300 - rejected.length, admission.admitted()], [true, 260, 0]);
});
