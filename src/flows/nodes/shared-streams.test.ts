// docs/reliability.md, I-47, F-05
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "../../../test/support/fast-check.ts";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { StoreError } from "../../ports/store/store.ts";
import { createOpenStreams } from "../access/open-streams.ts";
import { createSharedStreams } from "./shared-streams.ts";

const OWNER = { organizationId: "org_a", keyId: "key_a" };

/** The streams of a node, with the row that the store has of them, and what becomes of each call. */
function openNode() {
  const clock = new FakeClock();
  const row = { places: 0, calls: 0 };
  const store = { outcome: "answers" as "answers" | "is away" | "answer is lost" };
  const set = async (places: number): Promise<void> => {
    row.calls++;
    await new Promise((resolve) => setImmediate(resolve));
    if (store.outcome !== "is away") row.places = places;
    if (store.outcome !== "answers") throw new StoreError("unavailable", store.outcome);
  };
  const nodes = {
    async takeStreams({ max, held, wanted }: { max: number; held: number; wanted: number }) {
      const granted = Math.min(wanted, Math.max(0, max - held));
      await set(held + granted);
      return { granted, left: max - held - granted };
    },
    keepStreams: ({ places }: { places: number }) => set(places),
  };
  let isStopping = false;
  const streams = createSharedStreams(clock, nodes as never, createOpenStreams(), () => isStopping);
  const stop = (): void => {
    isStopping = true;
  };
  return { clock, row, store, streams, stop };
}

for (const outcome of ["is away", "answer is lost"] as const) {
  test(`places whose return the store does not confirm (${outcome}) are free once it answers`, async () => {
    const { clock, row, store, streams } = openNode();
    const closes = [await streams.open(OWNER, 4), await streams.open(OWNER, 4)];
    assert.equal(row.places, 2);
    store.outcome = outcome;
    for (const close of closes) close();
    await clock.advance(5000);
    store.outcome = "answers";
    await clock.advance(1500);
    assert.equal(row.places, 0);
    assert.equal(clock.pending, 0);
  });
}

test("places that were granted without an answer are free once the store answers", async () => {
  const { clock, row, store, streams } = openNode();
  const close = await streams.open(OWNER, 4);
  store.outcome = "answer is lost";
  await assert.rejects(async () => streams.open(OWNER, 4), StoreError);
  assert.equal(row.places, 2);
  store.outcome = "answers";
  await clock.advance(1500);
  assert.equal(row.places, 1);
  close();
  await clock.advance(1500);
  assert.equal(row.places, 0);
});

test("whatever becomes of the calls, at least the open streams are counted, and in the end no more", async () => {
  const outcomes = fc.constantFrom("answers", "is away", "answer is lost");
  const step = fc.record({
    outcome: outcomes,
    opens: fc.nat(3),
    closes: fc.nat(3),
    passMs: fc.constantFrom(0, 500, 1000),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const { clock, row, store, streams } = openNode();
      const closes: (() => void)[] = [];
      const isCounted = () => assert.ok(row.places >= closes.length, `${row.places} places, ${closes.length} open`);
      for (const { outcome, opens, closes: closing, passMs } of steps) {
        store.outcome = outcome;
        const openOne = async () => closes.push(await streams.open(OWNER, 6));
        const opening = Promise.allSettled(Array.from({ length: opens }, openOne));
        for (const close of closes.splice(0, closing)) close();
        await clock.advance(passMs);
        await opening;
        isCounted();
      }
      store.outcome = "answers";
      await clock.advance(5000);
      assert.equal(row.places, closes.length);
      for (const close of closes.splice(0)) close();
      await clock.advance(5000);
      assert.equal(row.places, 0);
    }),
  );
});

test("a limit that changes while streams are open counts them", async () => {
  const { row, streams } = openNode();
  await streams.open(OWNER, 4);
  await streams.open(OWNER, 4);
  await assert.rejects(async () => streams.open(OWNER, 2), { code: "stream_limit_exceeded" });
  await streams.open(OWNER, 3);
  assert.equal(row.places, 3);
});

test("a node that stops gives nothing back again: its places are free when it has left", async () => {
  const { clock, row, store, streams, stop } = openNode();
  const close = await streams.open(OWNER, 4);
  store.outcome = "is away";
  stop();
  close();
  await clock.advance(10_000);
  assert.deepEqual([row.calls, clock.pending], [2, 0]);
});
