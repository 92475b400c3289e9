// Contract: deleted objects are gone for every reader, and no others are.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ACME,
  answers,
  beginOf,
  calls,
  endOf,
  headOf,
  makeConversation,
  outputs,
  placeAfter,
  placeIn,
  runResponse,
  says,
  settleOf,
  STRANGERS,
} from "../fixtures.ts";
import { describeStore } from "./suite.ts";

export const testDeletion = describeStore("deletion", (suite) => {
  const remove = (responseId: string, caller = ACME) => suite.store.deleteResponse({ caller, responseId });
  const inConversation = async (conversationId: `conv_${string}`, text: string) =>
    await runResponse(suite.store, {
      head: { conversationId },
      begin: { placement: await placeIn(suite.store, conversationId) },
      input: [says(text)],
      output: [answers(text)],
    });
  const listed = async (conversationId: string) => {
    const page = await suite.store.listItems({ caller: ACME, conversationId, order: "asc", after: null, limit: 99 });
    return page.kind === "page" ? page.items.length : page.kind;
  };

  test("a deleted response can't be read or continued; deleting it again is no error", async () => {
    const head = await runResponse(suite.store);
    for (const [who, caller] of STRANGERS) assert.equal(await remove(head.id, caller), false, who);
    assert.equal(await remove(head.id), true);
    assert.equal(await remove(head.id), true);
    for (const [who, caller] of STRANGERS) assert.equal(await remove(head.id, caller), false, who);
    assert.equal(await remove("resp_missing"), false);
    assert.equal(await suite.store.readResponse({ caller: ACME, responseId: head.id }), null);
    const name = { by: "response", responseId: head.id, answeredCallIds: [] } as const;
    assert.equal(await suite.store.findContinuation({ caller: ACME, name }), null);
  });

  test("a deleted response's items leave the list and the window; the other responses stay", async () => {
    const { store } = suite;
    const conversationId = await makeConversation(store);
    const a = await inConversation(conversationId, "aa");
    const b = await inConversation(conversationId, "bbb");
    const c = await inConversation(conversationId, "c");
    await remove(b.id);
    assert.equal(await listed(conversationId), 4);
    const found = await store.findContinuation({
      caller: ACME,
      name: { by: "conversation", conversationId, answeredCallIds: [] },
    });
    assert.deepEqual([found?.view.size, found?.view.turns, found?.latest?.head.id], [6, 2, c.id]);
    assert.equal((await store.readResponse({ caller: ACME, responseId: a.id }))?.end?.output.length, 1);
  });

  test("a conversation is continued after the last remaining response", async () => {
    const { store } = suite;
    const conversationId = await makeConversation(store);
    const a = await inConversation(conversationId, "a");
    const b = await inConversation(conversationId, "b");
    const latest = async () =>
      (
        await store.findContinuation({
          caller: ACME,
          name: { by: "conversation", conversationId, answeredCallIds: [] },
        })
      )?.latest?.head.id;
    await remove(b.id);
    assert.equal(await latest(), a.id);
    // The remaining response is the end again: continuing it does not branch.
    assert.equal((await placeAfter(store, a.id)).kind, "append");
    await remove(a.id);
    assert.equal(await latest(), undefined);
    assert.equal(await listed(conversationId), 0);
  });

  test("deleting the response whose calls wait frees the history", async () => {
    const { store } = suite;
    const a = await runResponse(store);
    const b = await runResponse(store, {
      begin: { placement: await placeAfter(store, a.id) },
      output: [calls("call_stuck")],
    });
    await remove(b.id);
    const name = { by: "response", responseId: a.id, answeredCallIds: [] } as const;
    const found = await store.findContinuation({ caller: ACME, name });
    assert.deepEqual([found?.isBranch, found?.latest?.waitingCalls], [false, []]);
  });

  test("the rest of a response whose beginning was deleted is still a response", async () => {
    const { store } = suite;
    const conversationId = await makeConversation(store);
    await inConversation(conversationId, "a");
    const calling = await runResponse(store, {
      head: { conversationId },
      begin: { placement: await placeIn(store, conversationId) },
      output: [calls("call_left")],
    });
    await runResponse(store, {
      head: { conversationId, turnId: calling.turnId },
      begin: { placement: await placeIn(store, conversationId) },
      input: [outputs("call_left")],
      output: [answers("left")],
    });
    const added = [says("one"), { ...says("two"), opensTurn: false }] as const;
    await store.addItems({ caller: ACME, conversationId, items: added, claim: null });
    const openings = async () => {
      const placement = await placeIn(store, conversationId);
      assert.ok(placement.kind === "append");
      const { items } = await store.readWindow({ itemsMax: 1e6, view: placement.view, sizeMax: placement.view.size });
      return [placement.view.turns, items.map(({ item, opensTurn }) => `${item.type}${opensTurn ? " opens" : ""}`)];
    };
    await remove(calling.id);
    const left = ["message opens", "message", "function_call_output opens", "message"];
    assert.deepEqual(await openings(), [3, [...left, "message opens", "message"]]);
    await store.deleteItem({ caller: ACME, conversationId, itemId: added[0].item.id });
    assert.deepEqual(await openings(), [3, [...left, "message opens"]]);
    await store.deleteItem({ caller: ACME, conversationId, itemId: added[1].item.id });
    assert.deepEqual(await openings(), [2, left]);
  });

  test("a response of which another ran in between goes on to begin with its own items", async () => {
    const { store } = suite;
    const conversationId = await makeConversation(store);
    const place = await placeIn(store, conversationId);
    const calling = await runResponse(store, {
      head: { conversationId },
      begin: { placement: place },
      output: [calls("c")],
    });
    const between = await runResponse(store, { head: { conversationId }, begin: { placement: place } });
    const rest = await runResponse(store, {
      head: { conversationId, turnId: calling.turnId },
      begin: { placement: await placeIn(store, conversationId) },
      input: [outputs("c")],
    });
    const openings = async () => {
      const placement = await placeIn(store, conversationId);
      assert.ok(placement.kind === "append");
      const { items } = await store.readWindow({ itemsMax: 1e6, view: placement.view, sizeMax: 1e9 });
      return items.filter(({ opensTurn }) => opensTurn).map(({ responseId }) => responseId);
    };
    assert.deepEqual(await openings(), [calling.id, between.id]);
    await remove(between.id);
    assert.deepEqual(await openings(), [calling.id]);
    await remove(calling.id);
    assert.deepEqual(await openings(), [rest.id]);
  });

  test("a failed response can be deleted", async () => {
    const { store } = suite;
    const failed = await runResponse(store, { end: { status: "failed", error: { code: "run_failed", message: "m" } } });
    assert.equal(await remove(failed.id), true);
    assert.equal(await store.readResponse({ caller: ACME, responseId: failed.id }), null);
  });

  test("a branch that shares deleted items continues without them", async () => {
    const { store } = suite;
    const a = await runResponse(store, { input: [says("1")], output: [answers("2")] });
    const b = await runResponse(store, { begin: { placement: await placeAfter(store, a.id) } });
    const branch = await runResponse(store, {
      begin: { placement: await placeAfter(store, a.id) },
      input: [says("3")],
      output: [answers("4")],
    });
    await remove(a.id);
    const placement = await placeAfter(store, branch.id);
    assert.ok(placement.kind === "append");
    assert.deepEqual([placement.view.size, placement.view.turns], [2, 1]);
    assert.notEqual(await store.readResponse({ caller: ACME, responseId: b.id }), null);
  });

  test("a deleted conversation is gone with everything in it; deleting it again is no error", async () => {
    const { store } = suite;
    const item = says("a");
    const conversationId = await makeConversation(store, [item]);
    const head = await inConversation(conversationId, "b");
    const failed = await runResponse(store, {
      head: { conversationId },
      begin: { placement: await placeIn(store, conversationId) },
      end: { status: "failed", error: { code: "run_failed", message: "m" } },
    });
    assert.equal(await store.deleteConversation({ caller: ACME, conversationId }), true);
    assert.equal(await store.deleteConversation({ caller: ACME, conversationId }), true);
    for (const [who, caller] of STRANGERS) {
      assert.equal(await store.deleteConversation({ caller, conversationId }), false, who);
    }
    const query = { caller: ACME, conversationId };
    assert.equal(await store.readConversation(query), null);
    assert.equal(await listed(conversationId), "missing");
    assert.equal(await store.readItem({ ...query, itemId: item.item.id }), null);
    assert.deepEqual(await store.deleteItem({ ...query, itemId: item.item.id }), { kind: "missing" });
    assert.deepEqual(await store.addItems({ ...query, items: [says("x")], claim: null }), {
      kind: "done",
      value: null,
    });
    for (const { id } of [head, failed]) {
      assert.equal(await store.readResponse({ caller: ACME, responseId: id }), null);
      assert.equal(await remove(id), false, "a response of a deleted conversation is a 404 to delete");
    }
  });

  test("a response whose conversation is deleted while it runs settles and stays invisible", async () => {
    const { store } = suite;
    const conversationId = await makeConversation(store);
    const head = headOf({ conversationId });
    await store.beginResponse(beginOf(head, { placement: await placeIn(store, conversationId) }));
    await store.deleteConversation({ caller: ACME, conversationId });
    assert.ok(await store.settleResponse(settleOf(head.id, [says("q")], endOf([answers("a")]))));
    assert.equal(await store.readResponse({ caller: ACME, responseId: head.id }), null);
    assert.equal(await store.settleResponse(settleOf(head.id, [says("q")], endOf([answers("a")]))), null);
  });

  test("a response that is deleted while it runs settles, stays invisible and enters no history", async () => {
    const { store } = suite;
    const conversationId = await makeConversation(store);
    const head = headOf({ conversationId });
    await store.beginResponse(beginOf(head, { placement: await placeIn(store, conversationId) }));
    assert.equal(await remove(head.id), true);
    assert.ok(await store.settleResponse(settleOf(head.id, [says("q")], endOf([answers("a")]))));
    assert.equal(await store.readResponse({ caller: ACME, responseId: head.id }), null);
    assert.equal(await listed(conversationId), 0);
  });
});
