// A failing thread of the store: a reader is replaced; a failing writer ends the store. A reader with long results.
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import type { Worker } from "node:worker_threads";
import { StoreError } from "../../src/ports/store/store.ts";
import { ACME, addCallers, makeConversation, placeIn, says } from "./fixtures.ts";
import { openFor } from "./sqlite-files.ts";

const workers: Worker[] = [];
process.on("worker", (worker) => workers.push(worker));

/** Ends the latest thread of that name, as a crash would. */
async function crashThread(name: string): Promise<void> {
  const worker = workers.findLast(({ threadName }) => threadName === name);
  assert.ok(worker !== undefined);
  const ended = once(worker, "exit");
  void worker.terminate();
  await ended;
}

const isOf = (kind: StoreError["kind"]) => (error: unknown) => error instanceof StoreError && error.kind === kind;

test("calls of a reader that fails are unavailable, and another reader replaces it", async (t) => {
  const { store } = await openFor(t);
  await addCallers(store);
  const conversationId = await makeConversation(store);
  const name = { by: "conversation", conversationId, answeredCallIds: [] } as const;
  const ask = () => store.findContinuation({ caller: ACME, name });
  assert.notEqual(await ask(), null);
  const started = workers.length;
  const broken = crashThread("store-reader");
  await assert.rejects(ask(), isOf("unavailable"));
  await broken;
  const found = await Promise.all([ask(), ask(), ask()]);
  assert.ok(found.every((continuation) => continuation !== null));
  assert.equal(workers.length, started + 1);
});

test("when the writer fails, the store is lost", async (t) => {
  const { store } = await openFor(t);
  await addCallers(store);
  await crashThread("store-writer");
  await assert.rejects(makeConversation(store), isOf("lost"));
});

test("a reader sends long results in parts, each when the one before has been taken", async (t) => {
  const groups: { readonly calls: number; readonly turn: number }[] = [];
  let turn = 0;
  let isOver = false;
  const countTurns = () => {
    turn++;
    if (!isOver) setImmediate(countTurns);
  };
  setImmediate(countTurns);
  t.after(() => void (isOver = true));
  const side = (name: string) => ({
    callEnded() {},
    watchWaiting() {},
    groupRun(calls: number) {
      if (name !== "read") return;
      groups.push({ calls, turn });
      // The reader would send the rest meanwhile.
      for (const startedMs = performance.now(); performance.now() - startedMs < 300; );
    },
  });
  const { store } = await openFor(t, { telemetry: { side } });
  await addCallers(store);
  const placement = await placeIn(store, await makeConversation(store, [says("x".repeat(5_000_000))]));
  assert.ok(placement.kind === "append");
  const read = async () => {
    const window = await store.readWindow({ view: placement.view, sizeMax: 6_000_000, itemsMax: 10 });
    return window.items.length;
  };
  groups.length = 0;
  const found = await Promise.all(Array.from({ length: 6 }, () => read()));
  assert.deepEqual(found, [1, 1, 1, 1, 1, 1]);
  assert.deepEqual(
    groups.map(({ calls }) => calls),
    [2, 2, 2],
  );
  // All that is sent while the first is handled would be read in one turn of the event loop.
  assert.ok(new Set(groups.map((each) => each.turn)).size > 1);
});
