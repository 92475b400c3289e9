// Contract: a response begun, started, settled, withdrawn, read.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ACME,
  OTHER,
  answers,
  beginOf,
  calls,
  endOf,
  headOf,
  idsOf,
  makeConversation,
  placeIn,
  runResponse,
  says,
  settleOf,
  STRANGERS,
} from "../fixtures.ts";
import { describeStore } from "./suite.ts";
import { TESTS } from "../../support/actor.ts";
import { NO_USAGE } from "../../../src/contract/usage.ts";

export const testResponses = describeStore("turns", (suite) => {
  const read = (responseId: string, caller = ACME) => suite.store.readResponse({ caller, responseId });

  test("a begun response is read without an end", async () => {
    const head = headOf({ metadata: { __proto__: "x", a: "é\u{1f600}" } });
    assert.deepEqual(await suite.store.beginResponse(beginOf(head)), { kind: "begun" });
    assert.deepEqual(await read(head.id), { head, status: "in_progress", end: null });
  });

  test("a settled response is read as it was settled", async () => {
    const head = headOf();
    const end = endOf([answers("one"), calls("call_1")], {
      status: "incomplete",
      incompleteReason: "max_output_tokens",
      toolCallsDropped: 2,
      warnings: [{ code: "truncated", message: "m", param: null }],
      providerState: { opaque: ["a", 1] },
    });
    await suite.store.beginResponse(beginOf(head));
    assert.ok(await suite.store.settleResponse(settleOf(head.id, [says("hi")], end)));
    assert.deepEqual(await read(head.id), { head, status: "incomplete", end });
  });

  test("a failed response is read with its output, error and failure", async () => {
    const head = headOf();
    const failure = {
      type: "api_error",
      code: "provider_error",
      message: "m",
      provider: "acme",
      provider_status: 500,
      provider_request_id: null,
      retryable: false,
    };
    const end = endOf([answers("half")], {
      status: "failed",
      error: { code: "provider_error", message: "m" },
      failure,
      usage: NO_USAGE,
    });
    await suite.store.beginResponse(beginOf(head));
    await suite.store.settleResponse(settleOf(head.id, [says("hi")], end));
    assert.deepEqual(await read(head.id), { head, status: "failed", end });
  });

  test("a function call that was cut short is in its response's output and listed nowhere", async () => {
    const { store } = suite;
    const conversationId = await makeConversation(store);
    const head = headOf({ conversationId });
    const output = [answers("before"), { ...calls("call_cut"), status: "incomplete" as const }, answers("after")];
    const settle = settleOf(head.id, [says("hi")], endOf(output, { status: "incomplete" }));
    await store.beginResponse(beginOf(head, { placement: await placeIn(store, conversationId) }));
    await store.settleResponse({
      ...settle,
      output: settle.output.map((item, index) => ({ ...item, listed: index !== 1 })),
    });
    assert.deepEqual((await read(head.id))?.end?.output, output);
    const page = await store.listItems({ caller: ACME, conversationId, order: "asc", after: null, limit: 9 });
    assert.ok(page.kind === "page");
    assert.equal(page.items.length, 3);
    const found = await store.findContinuation({
      caller: ACME,
      name: { by: "conversation", conversationId, answeredCallIds: [] },
    });
    assert.deepEqual(found?.latest?.waitingCalls, []);
  });

  test("other callers read nothing", async () => {
    const head = await runResponse(suite.store);
    for (const [who, caller] of STRANGERS) assert.equal(await read(head.id, caller), null, who);
    assert.equal(await read("resp_missing"), null);
    assert.equal(await read("not an id"), null);
  });

  test("a queued response starts; a second try whose first answer was lost finds it started", async () => {
    const head = headOf();
    await suite.store.beginResponse(beginOf(head, { status: "queued" }));
    assert.equal((await read(head.id))?.status, "queued");
    const { organizationId } = ACME;
    await suite.store.updateOrganization({ by: TESTS, organizationId, plan: true, paymentMethod: true });
    assert.equal(await suite.store.startResponse({ responseId: head.id }), "started");
    assert.equal(await suite.store.startResponse({ responseId: head.id }), "started");
    assert.equal((await read(head.id))?.status, "in_progress");
  });

  test("a queued response does not start without what let it begin; one that has started is not asked again", async () => {
    const { store } = suite;
    const { organizationId } = OTHER;
    const update = (change: object) => store.updateOrganization({ by: TESTS, organizationId, ...change });
    const [head, started] = [headOf(), headOf()];
    for (const each of [head, started]) await store.beginResponse(beginOf(each, { caller: OTHER, status: "queued" }));
    const start = ({ id: responseId } = head) => store.startResponse({ responseId });
    await update({ paymentMethod: true, plan: true });
    assert.equal(await start(started), "started");
    await update({ plan: false });
    assert.equal(await start(), "no_plan");
    await update({ paymentMethod: false });
    assert.equal(await start(), "no_payment_method");
    await update({ suspended: true });
    assert.equal(await start(), "suspended");
    assert.equal(await start(started), "started");
    await update({ suspended: false, paymentMethod: true, plan: true });
    assert.equal(await start(), "started");
  });

  test("a queued response does not start once its conversation is deleted", async () => {
    const { store } = suite;
    const { organizationId } = ACME;
    await store.updateOrganization({ by: TESTS, organizationId, plan: true, paymentMethod: true });
    const conversationId = await makeConversation(store);
    const [head, started] = [headOf({ conversationId }), headOf({ conversationId })];
    const placement = await placeIn(store, conversationId);
    for (const each of [head, started]) await store.beginResponse(beginOf(each, { status: "queued", placement }));
    assert.equal(await store.startResponse({ responseId: started.id }), "started");
    await store.deleteConversation({ caller: ACME, conversationId });
    assert.equal(await store.startResponse({ responseId: head.id }), "deleted");
    assert.equal(await store.startResponse({ responseId: started.id }), "started");
  });

  test("of concurrent settlements one wins, and no later one changes anything", async () => {
    const head = headOf();
    await suite.store.beginResponse(beginOf(head));
    const statuses = ["completed", "cancelled", "incomplete"] as const;
    const settles = statuses.map((status) => settleOf(head.id, [says("hi")], endOf([answers(status)], { status })));
    const settled = await Promise.all(settles.map((settle) => suite.store.settleResponse(settle)));
    const winner = settled.findIndex((charge) => charge !== null);
    assert.deepEqual(
      settled,
      settles.map((_, at) => (at === winner ? { chargedNano: 0n, shortfallNano: 0n } : null)),
    );
    const before = await read(head.id);
    assert.equal(before?.status, statuses[winner]);
    for (const settle of settles) assert.equal(await suite.store.settleResponse(settle), null);
    assert.equal(await suite.store.startResponse({ responseId: head.id }), "ended");
    assert.equal(await suite.store.withdrawResponse({ responseId: head.id }), false);
    assert.deepEqual(await read(head.id), before);
  });

  test("a response that never began cannot be settled or started, and counts as withdrawn", async () => {
    const settle = settleOf("resp_never", [says("hi")], endOf([]));
    assert.equal(await suite.store.settleResponse(settle), null);
    assert.equal(await suite.store.startResponse({ responseId: "resp_never" }), "ended");
    assert.equal(await suite.store.withdrawResponse({ responseId: "resp_never" }), true);
  });

  test("a withdrawn response leaves nothing: unreadable, its key free, its conversation as before", async () => {
    const { store } = suite;
    const conversationId = await makeConversation(store, [says("kept")]);
    const claim = { endpoint: "POST /responses", key: "withdrawn", fingerprint: "f" };
    const head = headOf({ conversationId });
    const placement = await placeIn(store, conversationId);
    await store.beginResponse(beginOf(head, { claim, placement }));
    assert.equal(await store.withdrawResponse({ responseId: head.id }), true);
    assert.equal(
      await store.withdrawResponse({ responseId: head.id }),
      true,
      "a second try whose first answer was lost",
    );
    assert.equal(await read(head.id), null);
    assert.equal(await store.findClaim({ organizationId: ACME.organizationId, ...claim }), null);
    assert.deepEqual(await placeIn(store, conversationId), placement);
    const again = headOf({ conversationId });
    assert.deepEqual(await store.beginResponse(beginOf(again, { claim, placement })), { kind: "begun" });
  });

  test("a response of a revoked key does not begin; a running one still settles", async () => {
    const { store } = suite;
    const caller = { organizationId: "org_acme", keyId: "key_soon_revoked" };
    const key = {
      id: caller.keyId,
      organizationId: "org_acme",
      memberId: null,
      name: "k",
      permission: "all",
    } as const;
    await store.createKey({
      by: TESTS,
      key: { ...key, createdAt: 1, revokedAt: null },
      secret: { lookup: "look_soon", hash: "h" },
    });
    const running = headOf();
    await store.beginResponse(beginOf(running, { caller }));
    await store.revokeKey({ by: TESTS, keyId: caller.keyId, revokedAt: 2 });
    const late = headOf();
    assert.deepEqual(await store.beginResponse(beginOf(late, { caller })), { kind: "revoked" });
    assert.equal(await read(late.id, caller), null);
    assert.ok(await store.settleResponse(settleOf(running.id, [says("hi")], endOf([answers("ok")]))));
  });

  test("a response does not begin in a conversation that was deleted after it was read", async () => {
    const { store } = suite;
    const conversationId = await makeConversation(store, [says("a")]);
    const placement = await placeIn(store, conversationId);
    await store.deleteConversation({ caller: ACME, conversationId });
    const head = headOf({ conversationId });
    const claim = { endpoint: "POST /responses", key: "gone", fingerprint: "f" };
    assert.deepEqual(await store.beginResponse(beginOf(head, { placement, claim })), { kind: "gone" });
    assert.equal(await store.findClaim({ organizationId: ACME.organizationId, ...claim }), null);
  });

  test("a history of another key can't be continued", async () => {
    const { store } = suite;
    const conversationId = await makeConversation(store, [says("a")]);
    const placement = await placeIn(store, conversationId);
    for (const [who, caller] of STRANGERS) {
      assert.deepEqual(await store.beginResponse(beginOf(headOf(), { caller, placement })), { kind: "gone" }, who);
    }
  });

  test("turns that settle concurrently keep their items together, in order", async () => {
    const { store } = suite;
    const conversationId = await makeConversation(store);
    const placement = await placeIn(store, conversationId);
    const heads = Array.from({ length: 12 }, () => headOf({ conversationId }));
    await Promise.all(heads.map((head) => store.beginResponse(beginOf(head, { placement }))));
    const settles = heads.map((head) => settleOf(head.id, [says("q")], endOf([answers("a"), answers("b")])));
    assert.ok((await Promise.all(settles.map((settle) => store.settleResponse(settle)))).every(Boolean));
    const page = await store.listItems({ caller: ACME, conversationId, order: "asc", after: null, limit: 500 });
    assert.ok(page.kind === "page");
    // The responses themselves may be in any order.
    const listed = page.items.map(({ id }) => id);
    const turns = settles.map(({ input, output }) => idsOf([...input, ...output]));
    const placed = turns.toSorted(([a], [b]) => listed.indexOf(a!) - listed.indexOf(b!));
    assert.deepEqual(listed, placed.flat());
  });

  test("a failed response adds nothing to its conversation", async () => {
    const { store } = suite;
    const conversationId = await makeConversation(store, [says("a")]);
    const placement = await placeIn(store, conversationId);
    await runResponse(store, {
      head: { conversationId },
      begin: { placement },
      end: { status: "failed", error: { code: "run_failed", message: "m" } },
    });
    assert.deepEqual(await placeIn(store, conversationId), placement);
  });
});
