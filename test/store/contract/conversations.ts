// Contract: conversations and single items.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ACME,
  answers,
  idsOf,
  inRoom,
  makeConversation,
  mintConversationId,
  placeIn,
  runResponse,
  says,
  START_MS,
  STRANGERS,
} from "../fixtures.ts";
import { describeStore } from "./suite.ts";

export const testConversations = describeStore("conversations", (suite) => {
  const createdAt = START_MS / 1000;

  test("a conversation is read as it was created, only by its key", async () => {
    const { store } = suite;
    const conversation = { id: mintConversationId(), createdAt, metadata: { a: "1", é: "" } };
    const created = await store.createConversation({ caller: ACME, conversation, items: [], claim: null });
    assert.deepEqual(created, { kind: "done", value: conversation });
    const conversationId = conversation.id;
    assert.deepEqual(await store.readConversation({ caller: ACME, conversationId }), conversation);
    for (const [who, caller] of STRANGERS) {
      assert.equal(await store.readConversation({ caller, conversationId }), null, who);
      const metadata = { taken: "over" };
      assert.deepEqual(
        await store.relabelConversation({ caller, conversationId, metadata, claim: null }),
        { kind: "done", value: null },
        who,
      );
      assert.deepEqual(
        await store.addItems({ caller, conversationId, items: [says("x")], claim: null }),
        { kind: "done", value: null },
        who,
      );
      assert.equal(await store.deleteConversation({ caller, conversationId }), false, who);
      const page = await store.listItems({ caller, conversationId, order: "asc", after: null, limit: 1 });
      assert.deepEqual(page, { kind: "missing" }, who);
    }
    assert.deepEqual(await store.readConversation({ caller: ACME, conversationId }), conversation);
    assert.equal(await store.readConversation({ caller: ACME, conversationId: "conv_missing" }), null);
  });

  test("new labels replace all old ones", async () => {
    const { store } = suite;
    const conversationId = await makeConversation(store);
    const relabel = (metadata: Record<string, string>) =>
      store.relabelConversation({ caller: ACME, conversationId, metadata, claim: null });
    await relabel({ a: "1", b: "2" });
    const value = { id: conversationId, createdAt, metadata: { c: "3" } };
    assert.deepEqual(await relabel({ c: "3" }), { kind: "done", value });
    assert.deepEqual(await store.readConversation({ caller: ACME, conversationId }), value);
    await relabel({});
    assert.deepEqual((await store.readConversation({ caller: ACME, conversationId }))?.metadata, {});
  });

  test("added items are returned in order and read back by id", async () => {
    const { store } = suite;
    const conversationId = await makeConversation(store);
    const items = [says("a"), says("b")];
    const added = await store.addItems({ caller: ACME, conversationId, items, claim: null });
    const entries = items.map((item) => ({ ...item, responseId: null }));
    assert.deepEqual(added, { kind: "done", value: entries });
    const itemId = items[0]!.item.id;
    assert.deepEqual(await store.readItem({ caller: ACME, conversationId, itemId }), {
      readable: true,
      id: itemId,
      text: JSON.stringify(items[0]!.item),
    });
    assert.deepEqual(await store.addItems({ caller: ACME, conversationId, items: [], claim: null }), {
      kind: "done",
      value: [],
    });
  });

  test("an item is read only in its own conversation and by its own key", async () => {
    const { store } = suite;
    const item = says("a");
    const conversationId = await makeConversation(store, [item]);
    const elsewhere = await makeConversation(store);
    const itemId = item.item.id;
    assert.equal(await store.readItem({ caller: ACME, conversationId: elsewhere, itemId }), null);
    assert.equal(await store.readItem({ caller: ACME, conversationId, itemId: "msg_missing" }), null);
    for (const [who, caller] of STRANGERS) {
      assert.equal(await store.readItem({ caller, conversationId, itemId }), null, who);
      assert.equal(await store.readItems({ caller, conversationId, itemIds: [itemId] }), null, who);
      assert.deepEqual(await store.deleteItem({ caller, conversationId, itemId }), { kind: "missing" }, who);
    }
  });

  test("items read by id are in the order of the conversation", async () => {
    const { store } = suite;
    const items = [says("a"), says("b"), says("c")];
    const conversationId = await makeConversation(store, items);
    const [a, b, c] = idsOf(items);
    await store.deleteItem({ caller: ACME, conversationId, itemId: b! });
    const read = await store.readItems({ caller: ACME, conversationId, itemIds: [c!, "msg_none", a!, b!, c!] });
    assert.deepEqual(
      inRoom(read)?.map((item) => (item.readable ? item.id : null)),
      [a, c],
    );
    assert.equal(await store.readItems({ caller: ACME, conversationId: "conv_none", itemIds: [a!] }), null);
  });

  test("an item of a response cannot be deleted, one that a client added can, once", async () => {
    const { store } = suite;
    const mine = says("mine");
    const conversationId = await makeConversation(store, [mine]);
    const input = says("in");
    const output = answers("out");
    await runResponse(store, {
      head: { conversationId },
      begin: { placement: await placeIn(store, conversationId) },
      input: [input],
      output: [output],
    });
    const remove = (itemId: string) => store.deleteItem({ caller: ACME, conversationId, itemId });
    assert.deepEqual(await remove(input.item.id), { kind: "of_response" });
    assert.deepEqual(await remove(output.id), { kind: "of_response" });
    const conversation = await store.readConversation({ caller: ACME, conversationId });
    assert.deepEqual(await remove(mine.item.id), { kind: "deleted", conversation });
    assert.deepEqual(await remove(mine.item.id), { kind: "missing" });
    assert.equal(await store.readItem({ caller: ACME, conversationId, itemId: mine.item.id }), null);
  });
});
