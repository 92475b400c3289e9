import assert from "node:assert/strict";
import { test } from "node:test";
import { Refusal } from "../../contract/errors.ts";
import { createAdmission } from "./admission.ts";

const clock = { nowMs: () => 0, monotonicMs: () => 0, after: () => () => {} };
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test("what is over the limit is refused at once, and let in again when a place is free", async () => {
  const admission = createAdmission(
    { max: 2, startsPerTurn: { least: 8, most: 8, perMs: 0 }, few: 0, atWorkMax: 100 },
    clock,
  );
  const { promise, resolve } = Promise.withResolvers<void>();
  const held = [admission.during(() => promise), admission.during(() => promise)];
  await assert.rejects(
    admission.during(() => promise),
    (error: unknown) => error instanceof Refusal && error.code === "gateway_overloaded",
  );
  resolve();
  await Promise.all(held);
  assert.equal(await admission.during(() => Promise.resolve("in")), "in");
});

test("no more start in one turn of the event loop than may, first come first served", async () => {
  const admission = createAdmission(
    { max: 100, startsPerTurn: { least: 2, most: 2, perMs: 0 }, few: 0, atWorkMax: 100 },
    clock,
  );
  const started: number[] = [];
  const all = [1, 2, 3, 4, 5].map((number) =>
    admission.during(() => {
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
    { max: 100, startsPerTurn: { least: 1, most: 5, perMs: 1 }, few: 0, atWorkMax: 100 },
    moving,
  );
  let started = 0;
  const all = Array.from({ length: 20 }, () =>
    admission.during(() => {
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

test("a few that wait let those before them begin first; many do not", async () => {
  const settings = { max: 100, startsPerTurn: { least: 2, most: 2, perMs: 0 }, few: 2, atWorkMax: 100 };
  for (const [waiting, startedBefore] of [
    [2, 2],
    [3, 4],
  ] as const) {
    const admission = createAdmission(settings, clock);
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    let started = 0;
    const all = Array.from({ length: 2 + waiting }, () =>
      admission.during(() => {
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

test("who comes while others wait does not overtake them", async () => {
  const admission = createAdmission(
    { max: 100, startsPerTurn: { least: 1, most: 1, perMs: 0 }, few: 5, atWorkMax: 100 },
    clock,
  );
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const started: number[] = [];
  const ask = (number: number) =>
    admission.during(() => {
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

test("no more begin than may be at work beside what is being settled; each end lets the next one begin", async () => {
  const startsPerTurn = { least: 2, most: 2, perMs: 0 };
  const admission = createAdmission({ max: 100, startsPerTurn, few: 0, atWorkMax: 3 }, clock);
  const settled = Promise.withResolvers<void>();
  const begun = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  let started = 0;
  const all = begun.map(({ promise }) =>
    admission.during(() => {
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

test("a failure gives its place back", async () => {
  const admission = createAdmission(
    { max: 1, startsPerTurn: { least: 1, most: 1, perMs: 0 }, few: 0, atWorkMax: 100 },
    clock,
  );
  for (let round = 0; round < 3; round++) {
    await assert.rejects(
      admission.during(() => Promise.reject(new Error("no"))),
      /no/,
    );
  }
});

test("a turn that ends is counted, and is never refused itself", async () => {
  const admission = createAdmission(
    { max: 1, startsPerTurn: { least: 1, most: 1, perMs: 0 }, few: 0, atWorkMax: 100 },
    clock,
  );
  const { promise, resolve } = Promise.withResolvers<void>();
  const ending = [admission.finishing(() => promise), admission.finishing(() => promise)];
  assert.equal(admission.admitted(), 2);
  assert.throws(() => admission.refuseWhenFull(), Refusal);
  resolve();
  await Promise.all(ending);
  admission.refuseWhenFull();
});
