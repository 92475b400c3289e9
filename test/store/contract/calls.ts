// Contract: the transaction that begins a response decides whose calls it answers or closes.
// See docs/wire.md (Waiting calls)
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResponseId } from "../../../src/contract/ids.ts";
import type { WaitingCallsAction } from "../../../src/core/response/response.ts";
import type { NewItem } from "../../../src/core/history/history-item.ts";
import type { Placement } from "../../../src/ports/store/responses.ts";
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
} from "../fixtures.ts";
import { describeStore } from "./suite.ts";

const DROP: WaitingCallsAction = { kind: "drop" };

export const testCalls = describeStore("calls", (suite) => {
  const answerTo = (madeBy: ResponseId): WaitingCallsAction => ({
    kind: "answer",
    of: [{ madeBy, callIds: ["call_a"] }],
  });

  /** A conversation whose last response waits for call_a. */
  async function waiting() {
    const { store } = suite;
    const conversationId = await makeConversation(store);
    const maker = await runResponse(store, {
      begin: { placement: await placeIn(store, conversationId) },
      output: [calls("call_a")],
    });
    return { conversationId, maker, placement: await placeIn(store, conversationId) };
  }

  const begin = async (placement: Placement, taken: WaitingCallsAction | null) => {
    const head = headOf();
    const { kind } = await suite.store.beginResponse(beginOf(head, { placement, calls: taken }));
    return { head, kind };
  };
  const fail = (responseId: ResponseId) =>
    suite.store.settleResponse(settleOf(responseId, [], endOf([], { status: "failed" })));
  const latest = async (conversationId: string, ...answeredCallIds: string[]) => {
    const name = { by: "conversation", conversationId, answeredCallIds } as const;
    return await suite.store.findContinuation({ caller: ACME, name });
  };

  test("of concurrent responses that answer the same calls one begins, and readers see which", async () => {
    const { conversationId, maker, placement } = await waiting();
    const begun = await Promise.all(Array.from({ length: 8 }, () => begin(placement, answerTo(maker.id))));
    const kinds = begun.map(({ kind }) => kind).toSorted((one, other) => one.localeCompare(other));
    assert.deepEqual(kinds, ["begun", ...Array.from({ length: 7 }, () => "changed")]);
    const running = begun.find(({ kind }) => kind === "begun")?.head.id;
    const found = (await latest(conversationId))?.latest;
    assert.deepEqual([found?.head.id, found?.answeredBy], [maker.id, running]);
    const [call] = (await suite.store.findUnansweredCalls({ caller: ACME, conversationId, callIds: ["call_a"] })) ?? [];
    assert.equal(call?.answeredBy, running);
  });

  test("while calls are being answered a user turn begins only if it drops calls, and closes none that is being answered", async () => {
    const { conversationId, maker, placement } = await waiting();
    const answer = await begin(placement, answerTo(maker.id));
    assert.equal((await begin(placement, null)).kind, "changed");
    assert.equal((await begin(placement, DROP)).kind, "begun");
    const found = await latest(conversationId, "call_a");
    assert.deepEqual([found?.latest?.answeredBy, found?.settledCalls], [answer.head.id, []]);
  });

  for (const [end, give] of [
    ["failed", fail],
    ["was taken back", (responseId: ResponseId) => suite.store.withdrawResponse({ responseId })],
  ] as const) {
    test(`a turn that ${end} has answered and closed no calls`, async () => {
      const { conversationId, maker, placement } = await waiting();
      await give((await begin(placement, answerTo(maker.id))).head.id);
      const dropping = await begin(placement, DROP);
      assert.equal((await latest(conversationId, "call_a"))?.settledCalls[0]?.closedBy, dropping.head.id);
      assert.equal((await begin(placement, answerTo(maker.id))).kind, "changed");
      await give(dropping.head.id);
      const found = (await latest(conversationId))?.latest;
      assert.deepEqual([found?.waitingCalls.length, found?.answeredBy, found?.requiresOutputs], [1, null, true]);
      assert.equal((await begin(placement, answerTo(maker.id))).kind, "begun");
    });
  }

  test("a response does not begin in the thread when its calls were answered meanwhile", async () => {
    const { conversationId, maker, placement } = await waiting();
    const first = await begin(placement, answerTo(maker.id));
    await suite.store.settleResponse(settleOf(first.head.id, [outputs("call_a")], endOf([answers("done")])));
    assert.equal((await begin(placement, answerTo(maker.id))).kind, "changed");
    await suite.store.deleteResponse({ caller: ACME, responseId: first.head.id });
    const found = (await latest(conversationId))?.latest;
    assert.deepEqual(
      [found?.waitingCalls.length, found?.requiresOutputs],
      [1, false],
      "no turn requires them any more",
    );
    assert.equal((await begin(placement, answerTo(maker.id))).kind, "begun");
  });

  test("closed calls stay closed after the response that closed them is deleted, and no branch answers them", async () => {
    const { conversationId, maker, placement } = await waiting();
    const dropping = await begin(placement, DROP);
    await suite.store.settleResponse(settleOf(dropping.head.id, [], endOf([answers("next")])));
    const behind = await placeAfter(suite.store, maker.id);
    assert.equal(behind.kind, "branch");
    assert.equal((await begin(behind, answerTo(maker.id))).kind, "changed");
    await suite.store.deleteResponse({ caller: ACME, responseId: dropping.head.id });
    const found = await latest(conversationId, "call_a");
    assert.deepEqual(found?.latest?.waitingCalls, []);
    assert.deepEqual(found?.settledCalls, [{ callId: "call_a", isAnswered: false, closedBy: dropping.head.id }]);
  });

  test("a response closes only the calls that it has seen", async () => {
    const { store } = suite;
    const conversationId = await makeConversation(store);
    const early = await placeIn(store, conversationId);
    await runResponse(store, { begin: { placement: early }, output: [calls("call_a")] });
    assert.equal((await begin(early, DROP)).kind, "begun");
    assert.equal((await latest(conversationId))?.latest?.waitingCalls.length, 1);
  });

  test("items that are added while calls wait belong to the turn that waits, until all its calls are answered", async () => {
    const { store } = suite;
    const conversationId = await makeConversation(store);
    const placement = await placeIn(store, conversationId);
    const [one, two] = [calls("call_a"), calls("call_b")];
    await runResponse(store, { begin: { placement }, output: [one, two] });
    const add = async (...items: readonly NewItem[]) => {
      const added = await store.addItems({ caller: ACME, conversationId, items, claim: null });
      return added.kind === "done" && added.value?.map(({ opensTurn }) => opensTurn);
    };
    assert.deepEqual(await add(says("more", { opensTurn: true })), [false]);
    assert.deepEqual(await add(outputs("call_a", one.id), says("more", { opensTurn: true })), [false, false]);
    assert.deepEqual(await add(outputs("call_b", two.id), says("more", { opensTurn: true })), [false, true]);
    assert.deepEqual(await add(says("more", { opensTurn: true })), [true]);
  });

  for (const status of ["incomplete", "cancelled"] as const) {
    test(`calls of a turn that is ${status} may be answered but need not be`, async () => {
      const { store } = suite;
      const conversationId = await makeConversation(store);
      const placement = await placeIn(store, conversationId);
      await runResponse(store, { begin: { placement }, output: [calls("call_a")], end: { status } });
      const found = (await latest(conversationId))?.latest;
      assert.deepEqual([found?.waitingCalls.length, found?.requiresOutputs], [1, false]);
    });
  }
});
