// Contract: the history that a later response continues.
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
  usage,
} from "../fixtures.ts";
import type { ResponseId } from "../../../src/contract/ids.ts";
import type { OutputItem } from "../../../src/contract/items.ts";
import { describeStore } from "./suite.ts";
import { NO_USAGE } from "../../../src/contract/usage.ts";

export const testContinuation = describeStore("continuation", (suite) => {
  const byResponse = (responseId: string, answeredCallIds: readonly string[] = [], caller = ACME) =>
    suite.store.findContinuation({ caller, name: { by: "response", responseId, answeredCallIds } });
  const byConversation = (conversationId: string, caller = ACME) =>
    suite.store.findContinuation({ caller, name: { by: "conversation", conversationId, answeredCallIds: [] } });

  test("a settled response is continued after itself", async () => {
    const head = await runResponse(suite.store, { input: [says("12345")], output: [answers("678")] });
    const found = await byResponse(head.id);
    assert.deepEqual(found?.latest, {
      head,
      status: "completed",
      hasEntered: true,
      usage: usage(10, 20),
      promptCharacters: null,
      waitingCalls: [],
      answeredBy: null,
      firstRound: head.id,
      requiresOutputs: false,
      states: [],
      statesSize: 0,
      unreadableStates: 0,
    });
    assert.equal(found?.isBranch, false);
    assert.equal(found?.view.size, 8);
    assert.equal(found?.view.turns, 1);
  });

  test("a conversation without a response is continued at its end", async () => {
    const conversationId = await makeConversation(suite.store, [says("abc"), says("de")]);
    const found = await byConversation(conversationId);
    assert.equal(found?.isBranch, false);
    assert.equal(found?.latest, null);
    assert.deepEqual([found?.view.size, found?.view.turns], [5, 2]);
    const empty = await byConversation(await makeConversation(suite.store));
    assert.deepEqual([empty?.view.size, empty?.view.turns, empty?.latest], [0, 0, null]);
  });

  test("a conversation is continued after its last response and the items added since", async () => {
    const { store } = suite;
    const conversationId = await makeConversation(store);
    const first = await runResponse(store, {
      head: { conversationId },
      begin: { placement: await placeIn(store, conversationId) },
      input: [says("1")],
      output: [answers("2")],
    });
    await store.addItems({ caller: ACME, conversationId, items: [says("345")], claim: null });
    const found = await byConversation(conversationId);
    assert.equal(found?.latest?.head.id, first.id);
    assert.equal(found?.view.size, 5);
    // By its last response the view is the same: items that a client added after it are context.
    assert.deepEqual((await byResponse(first.id))?.view, found?.view);
  });

  test("other callers and unknown names find nothing to continue", async () => {
    const head = await runResponse(suite.store);
    const conversationId = await makeConversation(suite.store);
    for (const [who, caller] of STRANGERS) {
      assert.equal(await byResponse(head.id, [], caller), null, who);
      assert.equal(await byConversation(conversationId, caller), null, who);
    }
    assert.equal(await byResponse("resp_missing"), null);
    assert.equal(await byConversation("conv_missing"), null);
  });

  test("a running or failed response is found with its status and no waiting calls", async () => {
    const { store } = suite;
    const conversationId = await makeConversation(store, [says("abc")]);
    const placement = await placeIn(store, conversationId);
    const running = headOf({ conversationId });
    await store.beginResponse(beginOf(running, { placement }));
    const found = await byResponse(running.id);
    assert.deepEqual(found?.latest, {
      head: running,
      status: "in_progress",
      hasEntered: false,
      usage: NO_USAGE,
      promptCharacters: null,
      waitingCalls: [],
      answeredBy: null,
      firstRound: running.id,
      requiresOutputs: false,
      states: [],
      statesSize: 0,
      unreadableStates: 0,
    });
    assert.deepEqual(found?.view, placement.kind === "new" ? null : placement.view);
    const failed = await runResponse(store, {
      output: [calls("call_of_failed")],
      end: { status: "failed", error: { code: "run_failed", message: "m" } },
    });
    const foundFailed = await byResponse(failed.id, ["call_of_failed"]);
    assert.deepEqual([foundFailed?.latest?.status, foundFailed?.latest?.waitingCalls], ["failed", []]);
    // Nor does the conversation continue after it.
    assert.equal((await byConversation(conversationId))?.latest, null);
  });

  test("calls wait until an output answers them, in output order", async () => {
    const { store } = suite;
    const [one, two] = [calls("call_one"), calls("call_two")];
    const first = await runResponse(store, { output: [answers("let me look"), one, two] });
    assert.deepEqual((await byResponse(first.id))?.latest?.waitingCalls, [one, two]);
    const second = await runResponse(store, {
      head: { turnId: first.turnId },
      begin: { placement: await placeAfter(store, first.id) },
      input: [outputs("call_one"), outputs("call_two")],
    });
    assert.deepEqual((await byResponse(second.id))?.latest?.waitingCalls, []);
    // Continued where they were made, the calls can be answered again, in a branch.
    const before = await byResponse(first.id, ["call_one"]);
    assert.deepEqual([before?.latest?.waitingCalls, before?.isBranch], [[one, two], true]);
  });

  test("an output that a client adds to the conversation answers a call", async () => {
    const { store } = suite;
    const conversationId = await makeConversation(store);
    const call = calls("call_c");
    await runResponse(store, {
      head: { conversationId },
      begin: { placement: await placeIn(store, conversationId) },
      output: [call],
    });
    const unanswered = (callIds: string[]) => store.findUnansweredCalls({ caller: ACME, conversationId, callIds });
    const waiting = { callId: "call_c", itemId: call.id, answeredBy: null, closedBy: null };
    assert.deepEqual(await unanswered(["call_x", "call_c"]), [waiting]);
    assert.equal((await byConversation(conversationId))?.latest?.waitingCalls.length, 1);
    const output = outputs("call_c", call.id);
    const add = () => store.addItems({ caller: ACME, conversationId, items: [output], claim: null });
    assert.equal((await add()).kind, "done");
    assert.equal((await add()).kind, "changed", "it takes one output");
    assert.deepEqual(await unanswered(["call_c"]), []);
    assert.deepEqual((await byConversation(conversationId))?.latest?.waitingCalls, []);
    await store.deleteItem({ caller: ACME, conversationId, itemId: output.item.id });
    assert.deepEqual(await unanswered(["call_c"]), [waiting], "a deleted output answers nothing");
    for (const [who, caller] of STRANGERS) {
      const asked = await store.findUnansweredCalls({ caller, conversationId, callIds: ["call_c"] });
      assert.equal(asked, null, who);
    }
  });

  test("a call id that was used before waits again when it is called again", async () => {
    const { store } = suite;
    const first = await runResponse(store, { output: [calls("call_again")] });
    const second = await runResponse(store, {
      head: { turnId: first.turnId },
      begin: { placement: await placeAfter(store, first.id) },
      input: [outputs("call_again")],
      output: [calls("call_again")],
    });
    assert.equal((await byResponse(second.id))?.latest?.waitingCalls.length, 1);
  });

  test("the turn that waits is found by the response that it continued", async () => {
    const { store } = suite;
    const first = await runResponse(store);
    const waiting = await runResponse(store, {
      head: { previousResponseId: first.id },
      begin: { placement: await placeAfter(store, first.id) },
      output: [calls("call_w")],
    });
    assert.equal((await byResponse(first.id, ["call_w"]))?.latest?.head.id, waiting.id);
    // A user turn carries settings from the response that it names.
    const byWaiting = await byResponse(waiting.id, ["call_w"]);
    assert.equal(byWaiting?.carried?.id, waiting.id);
    assert.deepEqual(await byResponse(first.id, ["call_w"]), { ...byWaiting, carried: first });
    // Without outputs, or with outputs that no response waits for, the named response is continued.
    assert.equal((await byResponse(first.id))?.latest?.head.id, first.id);
    assert.equal((await byResponse(first.id, ["call_none"]))?.latest?.head.id, first.id);
    // A later round of the same turn is found the same way.
    const round = await runResponse(store, {
      head: { previousResponseId: first.id, turnId: waiting.id },
      begin: { placement: await placeAfter(store, waiting.id) },
      input: [outputs("call_w")],
      output: [calls("call_v")],
    });
    assert.equal((await byResponse(first.id, ["call_v"]))?.latest?.head.id, round.id);
    assert.equal((await byResponse(first.id, ["call_w"]))?.latest?.head.id, waiting.id);
    await store.deleteResponse({ caller: ACME, responseId: round.id });
    assert.equal((await byResponse(first.id, ["call_v"]))?.latest?.head.id, first.id);
  });

  test("each of several concurrent turns on a conversation waits for its own outputs", async () => {
    const { store } = suite;
    const conversationId = await makeConversation(store);
    const begin = async (turnId?: ResponseId) => {
      const head = headOf(turnId === undefined ? {} : { turnId });
      await store.beginResponse(beginOf(head, { placement: await placeIn(store, conversationId) }));
      return head;
    };
    const settle = (responseId: ResponseId, output: readonly OutputItem[], input = [says("x")]) =>
      store.settleResponse(settleOf(responseId, input, endOf(output)));
    const [calling, beside] = [await begin(), await begin()];
    await settle(calling.id, [calls("call_1")]);
    await settle(beside.id, [calls("call_2")]);
    const latest = async (...answeredCallIds: string[]) => {
      const name = { by: "conversation", conversationId, answeredCallIds } as const;
      return (await store.findContinuation({ caller: ACME, name }))?.latest;
    };
    assert.equal((await latest())?.head.id, beside.id);
    assert.equal((await latest("call_1"))?.head.id, calling.id);
    const second = await begin(beside.id);
    await settle(second.id, [answers("done")], [outputs("call_2")]);
    assert.equal((await latest())?.head.id, calling.id);
    const first = await begin(calling.id);
    await settle(first.id, [answers("done")], [outputs("call_1")]);
    assert.equal((await latest())?.head.id, first.id);
    assert.deepEqual((await latest())?.waitingCalls, []);
    // Once a user turn has seen it, a call whose output is deleted waits no more.
    await settle((await begin()).id, [answers("next")]);
    await store.deleteResponse({ caller: ACME, responseId: first.id });
    assert.deepEqual((await latest())?.waitingCalls, []);
  });

  test("items added while calls wait open no turn: they belong to the waiting one", async () => {
    const { store } = suite;
    const conversationId = await makeConversation(store);
    const add = () => store.addItems({ caller: ACME, conversationId, items: [says("x")], claim: null });
    const turns = async () => (await byConversation(conversationId))?.view.turns;
    await runResponse(store, { begin: { placement: await placeIn(store, conversationId) }, output: [calls("call_u")] });
    assert.equal(await turns(), 1);
    await add();
    assert.equal(await turns(), 1);
    await runResponse(store, {
      begin: { placement: await placeIn(store, conversationId) },
      input: [outputs("call_u")],
    });
    await add();
    assert.equal(await turns(), 2);
  });

  test("a turn's round states are listed oldest first, only those of its own branch", async () => {
    const { store } = suite;
    const first = await runResponse(store, { output: [calls("call_s")], end: { providerState: { round: 1 } } });
    const answer = async (state: unknown, callId: string) =>
      await runResponse(store, {
        head: { turnId: first.id },
        begin: { placement: await placeAfter(store, first.id) },
        input: [outputs("call_s")],
        output: [calls(callId)],
        end: { providerState: state },
      });
    const second = await answer({ round: 2 }, "call_s2");
    const branched = await answer({ round: "2 again" }, "call_s3");
    const states = async (responseId: string) => (await byResponse(responseId))?.latest?.states;
    const model = (await byResponse(first.id))?.latest?.head.model;
    const state = (responseId: string, round: unknown) => ({ responseId, model, state: { round } });
    assert.deepEqual(await states(second.id), [state(first.id, 1), state(second.id, 2)]);
    assert.deepEqual(await states(branched.id), [state(first.id, 1), state(branched.id, "2 again")]);
    assert.deepEqual(await states(first.id), [state(first.id, 1)]);
    const stateless = await runResponse(store, { output: [calls("call_t")] });
    assert.deepEqual(await states(stateless.id), []);
  });
});
