import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTick } from "node:timers/promises";
import type { ProviderPart } from "../../ports/provider.ts";
import { createPartQueue } from "./part-queue.ts";

function texts(count: number, from = 0): ProviderPart[] {
  return Array.from({ length: count }, (_, index) => ({ type: "text", text: `${from + index} ` }));
}

function start(wait: () => Promise<void> | undefined = () => undefined) {
  const passed: ProviderPart[] = [];
  let largestBatch = 0;
  const queue = createPartQueue((parts) => {
    passed.push(...parts);
    largestBatch = Math.max(largestBatch, parts.length);
    return wait();
  });
  return { queue, passed, largestBatch: () => largestBatch };
}

test("few parts are passed on at once", () => {
  const { queue, passed } = start();
  assert.equal(queue.take(texts(3)), undefined);
  assert.deepEqual(passed, texts(3));
});

test("many parts are passed on in batches, in order, and later parts behind them", async () => {
  const { queue, passed, largestBatch } = start();
  const taken = queue.take(texts(100_000));
  assert.ok(taken instanceof Promise);
  void queue.take(texts(10, 100_000));
  let responses = 0;
  while (passed.length < 100_010) {
    responses++;
    await nextTick();
  }
  await queue.settled();
  assert.deepEqual(passed, texts(100_010));
  assert.ok(largestBatch() <= 1_000 && responses >= 100, `${responses} turns, ${largestBatch()} at once`);
});

test("nothing is passed on until there is room", async () => {
  const room = Promise.withResolvers<void>();
  const { queue, passed } = start(() => room.promise);
  const taken = queue.take(texts(1));
  void queue.take(texts(1, 1));
  await nextTick();
  assert.equal(passed.length, 1);
  room.resolve();
  await taken;
  assert.deepEqual(passed, texts(2));
});
