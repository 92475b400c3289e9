// Which nodes a node takes for dead. docs/reliability.md, I-04, F-08, F-19
import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import type { Lease } from "../../ports/store/nodes.ts";
import { StoreError } from "../../ports/store/store.ts";
import type { Services } from "../../ports/services.ts";
import { Runs } from "../run/runs.ts";
import { createMembership } from "./membership.ts";

/** A node beside another one, whose lease the test sets; `store.answers` is awaited before the store answers a look. */
async function startNode() {
  const clock = new FakeClock();
  const lease = { id: 2, name: "other", leaseUntilMs: 1 };
  const expired: Lease[] = [];
  const store = { answers: Promise.resolve() };
  const nodes = {
    join: async () => {},
    renew: async () => true,
    listRunning: async () => [],
    async listLeases() {
      await store.answers;
      return expired.length === 0 ? [{ ...lease }] : [];
    },
    async expire(seen: Lease) {
      if (seen.leaseUntilMs !== lease.leaseUntilMs) return false;
      return expired.push(seen) > 0;
    },
  };
  const services = {
    nodes,
    clock,
    log: { info: () => {}, warn: () => {} },
    secrets: { checkValues: ["check"] },
    store: { listOrphans: async () => [] },
  };
  const membership = createMembership(
    services as unknown as Services,
    { runs: new Runs(1, 1), lostResponses: { noteUncertainBegin: () => {}, end: async () => {} } },
    { name: "one", version: "0", isDraining: () => false },
  );
  await membership.start();
  /** Lets time pass in which the other node renews every 3 seconds, by `stepMs` of the store's clock. */
  const renewsFor = async (milliseconds: number, stepMs = 3000): Promise<void> => {
    for (let passed = 0; passed < milliseconds; passed += 3000) {
      lease.leaseUntilMs += stepMs;
      await clock.advance(3000);
    }
  };
  return { clock, store, expired, lease, renewsFor };
}

test("a node that has not renewed for 12 seconds is taken for dead, within 17", async () => {
  const { clock, expired, renewsFor } = await startNode();
  await renewsFor(30_000);
  await clock.advance(8_900);
  assert.equal(expired.length, 0, "its last renewal is 11.9 s old");
  await clock.advance(5_100);
  assert.equal(expired.length, 1);
});

test("a node that renews lives, whatever the store's clock says", async () => {
  const { lease, expired, renewsFor } = await startNode();
  await renewsFor(30_000);
  lease.leaseUntilMs -= 3_600_000;
  await renewsFor(30_000, 1);
  assert.deepEqual(expired, []);
});

test("a dead node is found although the store's clock was set back", async () => {
  const { clock, lease, expired, renewsFor } = await startNode();
  await renewsFor(30_000);
  lease.leaseUntilMs += 3_600_000;
  await clock.advance(17_000);
  assert.equal(expired.length, 1);
});

for (const [how, answer] of [
  ["stands still, and answers at last", (): void => {}],
  [
    "is away",
    (): never => {
      throw new StoreError("unavailable", "away");
    },
  ],
] as const) {
  test(`after a time in which the store ${how}, the others get the time to renew`, async () => {
    const { clock, store, expired, renewsFor } = await startNode();
    await renewsFor(30_000);
    const { promise, resolve } = Promise.withResolvers<void>();
    store.answers = promise.then(answer);
    store.answers.catch(() => {});
    await clock.advance(16_000);
    resolve();
    await clock.advance(0);
    store.answers = Promise.resolve();
    await clock.advance(11_000);
    assert.deepEqual(expired, []);
    await renewsFor(30_000);
    assert.deepEqual(expired, []);
    await clock.advance(17_000);
    assert.equal(expired.length, 1);
  });
}
