// Contract: outputs are linked to their calls, whose call_ids may repeat. See docs/decisions/history.md
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { ACME, calls, makeConversation, outputs, placeAfter, placeIn, runResponse } from "../fixtures.ts";
import { describeStore } from "./suite.ts";

export const testLinkedOutputs = describeStore("linked outputs", (suite) => {
  const byResponse = (responseId: string) =>
    suite.store.findContinuation({ caller: ACME, name: { by: "response", responseId, answeredCallIds: [] } });
  const byConversation = (conversationId: string) =>
    suite.store.findContinuation({ caller: ACME, name: { by: "conversation", conversationId, answeredCallIds: [] } });

  test("an output answers the call that it is linked to, among those with its call_id, and no other", async () => {
    const { store } = suite;
    const conversationId = await makeConversation(store);
    const [cut, later] = [calls("call_0"), calls("call_0")];
    const placed = async () => ({ placement: await placeIn(store, conversationId) });
    const first = await runResponse(store, { begin: await placed(), output: [cut], end: { status: "incomplete" } });
    const second = await runResponse(store, { begin: await placed(), output: [later] });
    const result = outputs("call_0", later.id);
    const answer = await runResponse(store, {
      head: { turnId: second.turnId },
      begin: await placed(),
      input: [result],
    });
    const itemIds = [later.id, result.item.id];
    const links = [{ itemId: result.item.id, answers: later.id }];
    assert.deepEqual(await store.readLinks({ caller: ACME, conversationId, itemIds }), links);
    const unanswered = async () =>
      (await store.findUnansweredCalls({ caller: ACME, conversationId, callIds: ["call_0"] }))?.map(
        ({ itemId }) => itemId,
      );
    assert.deepEqual(await unanswered(), [cut.id]);
    assert.deepEqual((await byResponse(first.id))?.latest?.waitingCalls, [cut]);
    const view = (await byConversation(conversationId))?.view ?? assert.fail();
    const { items } = await store.readWindow({ view, sizeMax: 1e9, itemsMax: 1e6 });
    assert.deepEqual(
      items.flatMap(({ item, answers }) => (item.type === "function_call_output" ? [answers] : [])),
      [later.id],
    );
    await store.deleteResponse({ caller: ACME, responseId: answer.id });
    assert.deepEqual(await unanswered(), [later.id, cut.id]);
  });

  for (const length of [3_000, 100_000]) {
    test(`a call_id of ${length} random characters is stored, waits and is answered as any other`, async () => {
      const { store } = suite;
      const start = randomBytes(length)
        .toString("base64url")
        .slice(0, length - 1);
      const [callId, twin] = [`${start}a`, `${start}b`];
      const conversationId = await makeConversation(store);
      const call = calls(callId);
      const placed = async () => ({ placement: await placeIn(store, conversationId) });
      const maker = await runResponse(store, { begin: await placed(), output: [call] });
      const waiting = {
        caller: ACME,
        name: { by: "conversation", conversationId, answeredCallIds: [callId] },
      } as const;
      const found = (await store.findContinuation(waiting))?.latest;
      assert.equal(found?.head.id, maker.id);
      assert.ok(found.waitingCalls[0]?.call_id === callId);
      const unanswered = async () =>
        store.findUnansweredCalls({ caller: ACME, conversationId, callIds: [twin, callId] });
      assert.deepEqual(
        (await unanswered())?.map(({ itemId }) => itemId),
        [call.id],
      );
      await runResponse(store, {
        head: { turnId: maker.turnId },
        begin: await placed(),
        input: [outputs(callId, call.id)],
      });
      assert.deepEqual(await unanswered(), []);
      const view = (await byConversation(conversationId))?.view ?? assert.fail();
      // Compared by number: a difference of ids this long takes a minute to print.
      assert.equal((await store.findAnsweredInView({ view, callIds: [callId] })).length, 1);
      assert.equal((await store.findAnsweredInView({ view, callIds: [twin] })).length, 0);
    });
  }

  test("the output of a deleted call answers no call with its call_id", async () => {
    const { store } = suite;
    const conversationId = await makeConversation(store);
    const call = calls("call_0");
    const placed = async () => ({ placement: await placeIn(store, conversationId) });
    const first = await runResponse(store, { begin: await placed(), output: [call] });
    await runResponse(store, {
      head: { turnId: first.turnId },
      begin: await placed(),
      input: [outputs("call_0", call.id)],
    });
    const answered = async () => {
      const view = (await byConversation(conversationId))?.view ?? assert.fail();
      return store.findAnsweredInView({ view, callIds: ["call_0"] });
    };
    assert.deepEqual(await answered(), ["call_0"]);
    await store.deleteResponse({ caller: ACME, responseId: first.id });
    assert.deepEqual(await answered(), []);
  });

  test("a call_id counts as answered if all of its calls have outputs", async () => {
    const { store } = suite;
    const conversationId = await makeConversation(store);
    const [cut, later] = [calls("call_0"), calls("call_0")];
    const placed = async () => ({ placement: await placeIn(store, conversationId) });
    await runResponse(store, { begin: await placed(), output: [cut], end: { status: "incomplete" } });
    await runResponse(store, { begin: await placed(), output: [later] });
    await runResponse(store, { begin: await placed(), input: [outputs("call_0", later.id)] });
    const answered = async () => {
      const view = (await byConversation(conversationId))?.view ?? assert.fail();
      return store.findAnsweredInView({ view, callIds: ["call_0"] });
    };
    assert.deepEqual(await answered(), []);
    await runResponse(store, { begin: await placed(), input: [outputs("call_0", cut.id)] });
    assert.deepEqual(await answered(), ["call_0"]);
  });

  test("an output in a branch, or in a branch of it, answers the call of its parent until that is deleted", async () => {
    const { store } = suite;
    const [call, other] = [calls("call_0"), calls("call_0")];
    const first = await runResponse(store, { output: [call] });
    const second = await runResponse(store, {
      begin: { placement: await placeAfter(store, first.id) },
      output: [other],
    });
    const placement = await placeAfter(store, first.id);
    assert.equal(placement.kind, "branch");
    const branch = await runResponse(store, { begin: { placement }, input: [outputs("call_0", call.id)] });
    const answeredAfter = async (responseId: string) => {
      const { view } = (await byResponse(responseId)) ?? assert.fail();
      return store.findAnsweredInView({ view, callIds: ["call_0"] });
    };
    assert.deepEqual(await answeredAfter(branch.id), ["call_0"]);
    assert.deepEqual(await answeredAfter(second.id), []);
    const end = await runResponse(store, { begin: { placement: await placeAfter(store, branch.id) } });
    const inner = await runResponse(store, {
      begin: { placement: await placeAfter(store, branch.id) },
      output: [calls("call_1")],
    });
    assert.deepEqual([await answeredAfter(end.id), await answeredAfter(inner.id)], [["call_0"], ["call_0"]]);
    await store.deleteResponse({ caller: ACME, responseId: first.id });
    for (const { id } of [branch, end, inner]) assert.deepEqual(await answeredAfter(id), []);
  });

  test("an output from before links belongs to the calls of the response that its response answered", async () => {
    const { store } = suite;
    const conversationId = await makeConversation(store);
    const placed = async () => ({ placement: await placeIn(store, conversationId) });
    const [cut, later] = [calls("call_0"), calls("call_0")];
    await runResponse(store, { begin: await placed(), output: [cut], end: { status: "incomplete" } });
    const maker = await runResponse(store, { begin: await placed(), output: [later] });
    await runResponse(store, {
      head: { turnId: maker.turnId },
      begin: { ...(await placed()), calls: { kind: "answer", of: [{ madeBy: maker.id, callIds: ["call_0"] }] } },
      input: [outputs("call_0")],
    });
    const links = async () => {
      const view = (await byConversation(conversationId))?.view ?? assert.fail();
      const { items } = await store.readWindow({ view, sizeMax: 1e9, itemsMax: 1e6 });
      return items.flatMap(({ item, answers }) => (item.type === "function_call_output" ? [answers] : []));
    };
    assert.deepEqual(await links(), [later.id]);
    await store.deleteResponse({ caller: ACME, responseId: maker.id });
    assert.deepEqual(await links(), [later.id], "also when they are deleted");
  });
});
