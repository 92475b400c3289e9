// Edge cases of erasure: a response that is deleted while it runs, ids that a provider or a client chose, full batches.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS } from "../../src/base/time.ts";
import {
  ACME,
  addCallers,
  answers,
  beginOf,
  calls,
  endOf,
  headOf,
  makeConversation,
  outputs,
  placeIn,
  runResponse,
  says,
  settleOf,
} from "./fixtures.ts";
import { countFilesWith } from "./raw-database.ts";
import { openFor } from "./sqlite-files.ts";

const CANARY = "canary-41b7e0";
const PAGE = { order: "asc", after: null, limit: 9 } as const;

test("a response that is deleted while it runs keeps its head until it has settled, and nothing after that", async (t) => {
  const { store, clock, path } = await openFor(t);
  await addCallers(store);
  const head = headOf({ instructions: CANARY });
  await store.beginResponse(beginOf(head));
  await store.deleteResponse({ caller: ACME, responseId: head.id });
  clock.advance(31 * DAY_MS);
  const erase = () => store.eraseDeleted({ olderThanDays: 30, batch: 4, mayBlockWrites: false });
  assert.deepEqual(await erase(), { erased: 0, more: false });
  assert.ok(countFilesWith(path, CANARY) > 0);
  assert.notEqual(await store.settleResponse(settleOf(head.id, [says(CANARY)], endOf([answers(CANARY)]))), null);
  assert.deepEqual(await erase(), { erased: 1, more: false });
  assert.equal(countFilesWith(path, CANARY), 0);
});

test("of a deleted call not even its call_id is left", async (t) => {
  const { store, clock, path } = await openFor(t);
  await addCallers(store);
  const conversationId = await makeConversation(store);
  const placement = await placeIn(store, conversationId);
  const { id } = await runResponse(store, { output: [calls(CANARY)], begin: { placement } });
  const answer = outputs(CANARY);
  await store.addItems({ caller: ACME, conversationId, items: [answer], claim: null });
  await store.deleteResponse({ caller: ACME, responseId: id });
  await store.deleteItem({ caller: ACME, conversationId, itemId: answer.item.id });
  assert.ok(countFilesWith(path, CANARY) > 0, "control: it was stored");
  clock.advance(30 * DAY_MS);
  while ((await store.eraseDeleted({ olderThanDays: 30, batch: 4, mayBlockWrites: false })).more);
  assert.equal(countFilesWith(path, CANARY), 0);
});

for (const [batch, expected] of [
  [4, [4, 4, 4, 0]],
  // Full just before the labels of the first.
  [5, [5, 5, 2]],
  [100, [12]],
] as const) {
  test(`rounds of ${batch} erase two conversations, one after the other, and never more than ${batch}`, async (t) => {
    const { store, clock } = await openFor(t);
    await addCallers(store);
    for (let made = 0; made < 2; made++) {
      const conversationId = await makeConversation(store, [says("a"), says("b")]);
      await runResponse(store, { begin: { placement: await placeIn(store, conversationId) } });
      await store.deleteConversation({ caller: ACME, conversationId });
    }
    const kept = await makeConversation(store, [says("kept")]);
    clock.advance(30 * DAY_MS);
    const rounds: number[] = [];
    for (let more = true; more; ) {
      const round = await store.eraseDeleted({ olderThanDays: 30, batch, mayBlockWrites: false });
      rounds.push(round.erased);
      ({ more } = round);
    }
    // Each: four items, a response, its labels. A full round says that there may be more.
    assert.deepEqual(rounds, expected);
    const page = await store.listItems({ caller: ACME, conversationId: kept, ...PAGE });
    assert.equal(page.kind === "page" && page.items.length, 1);
  });
}

test("a repeated delete does not delay the erasure", async (t) => {
  const { store, clock, path } = await openFor(t);
  await addCallers(store);
  const conversationId = await makeConversation(store, [says(CANARY)]);
  const { id } = await runResponse(store, { head: { instructions: CANARY }, output: [answers(CANARY)] });
  const remove = async () => {
    assert.equal(await store.deleteConversation({ caller: ACME, conversationId }), true);
    assert.equal(await store.deleteResponse({ caller: ACME, responseId: id }), true);
  };
  await remove();
  clock.advance(29 * DAY_MS);
  await remove();
  clock.advance(DAY_MS);
  while ((await store.eraseDeleted({ olderThanDays: 30, batch: 4, mayBlockWrites: false })).more);
  assert.equal(countFilesWith(path, CANARY), 0);
});
