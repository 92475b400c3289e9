// A failing thread of the store: a reader is replaced; a failing writer ends the store.
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import type { Worker } from "node:worker_threads";
import { StoreError } from "../../src/ports/store/store.ts";
import { ACME, addCallers, makeConversation } from "./fixtures.ts";
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
