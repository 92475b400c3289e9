// Contract: what an id leads to in the log.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ACME, beginOf, headOf, mintConversationId, runResponse, settleOf, says, endOf } from "../fixtures.ts";
import { addMember, FAILURE, RECORD, START } from "./response-log-fixtures.ts";
import { describeStore } from "./suite.ts";

export const testFindById = describeStore("what an id leads to", (suite) => {
  const trace = async (requestId: string, over: object = {}) => {
    const query = { organizationId: ACME.organizationId, memberId: null, cameMs: null, readsMax: 100 };
    const { responses, readFrom } = await suite.store.traceRequest({ ...query, requestId, ...over });
    return [responses.map(({ id }) => id), readFrom] as const;
  };

  test("a response is found by the id of its create at the time that the id says, however many came after", async () => {
    const at = START + 10_000;
    const head = headOf({ createdAt: at });
    await suite.store.beginResponse(beginOf(head, { requestId: "req_old" }));
    for (let later = 1; later <= 3; later++) {
      await suite.store.beginResponse(beginOf(headOf({ createdAt: at + later }), { requestId: `req_later_${later}` }));
    }
    const cameMs = at * 1000 - 1;
    assert.deepEqual(await trace("req_old", { cameMs: cameMs + 1001, readsMax: 2 }), [[], at + 2]);
    assert.deepEqual(await trace("req_old", { cameMs: at * 1000 + 999, readsMax: 2 }), [[head.id], null]);
    assert.deepEqual(await trace("req_old", { cameMs, readsMax: 2 }), [[head.id], null]);
    assert.deepEqual(await trace("req_old", { cameMs: cameMs - 599_000, readsMax: 2 }), [[head.id], null]);
    assert.deepEqual(await trace("req_old", { cameMs: cameMs - 601_000, readsMax: 2 }), [[], at + 2]);
    // Without its time, among the newest.
    assert.deepEqual(await trace("req_old", { readsMax: 4 }), [[head.id], null]);
    assert.deepEqual(await trace("req_ol_"), [[], null]);
    assert.deepEqual(await trace("req_old", { organizationId: "org_other", cameMs }), [[], null]);
  });

  test("a response is found by the ids of its provider's requests: the last one, and one that failed before", async () => {
    const [caller] = await addMember(suite, "mem_traced", ["key_traced"]);
    const head = headOf({ createdAt: START + 20_000 });
    await suite.store.beginResponse(beginOf(head, { caller: caller! }));
    const attempt = { target: "near/m", code: "provider_overloaded", provider_status: 503 } as const;
    const attempts = [{ ...attempt, provider_request_id: "req_first", started_ms: 1, duration_ms: 2 }];
    const end = endOf([], { ranAt: { target: "far/m", attempts, reasoning: null } });
    const record = { ...RECORD, providerRequestId: "req_last" };
    await suite.store.settleResponse({ ...settleOf(head.id, [says("q")], end), record });
    for (const id of ["req_last", "req_first"]) {
      assert.deepEqual(await trace(id), [[head.id], null]);
      assert.deepEqual(await trace(id, { memberId: "mem_traced" }), [[head.id], null]);
      assert.deepEqual(await trace(id, { memberId: "mem_other" }), [[], null]);
    }
    assert.deepEqual(await trace("req_fir"), [[], null]);
  });

  test("a failed response is found beyond the newest ones", async () => {
    const { id } = headOf({ createdAt: START + 100 });
    await suite.store.beginResponse(beginOf(headOf({ id, createdAt: START + 100 })));
    const record = { ...RECORD, providerRequestId: "req_of_failure" };
    await suite.store.settleResponse({ ...settleOf(id, [says("q")], endOf([], FAILURE)), record });
    assert.deepEqual((await trace("req_of_failure", { readsMax: 2 }))[0], [id]);
  });

  test("a conversation has its key; it and each other id have their organization", async () => {
    const conversationId = mintConversationId();
    const { store } = suite;
    await store.createConversation({
      caller: ACME,
      conversation: { id: conversationId, createdAt: START, metadata: {} },
      items: [],
      claim: null,
    });
    const find = (memberId: string | null, organizationId = ACME.organizationId) =>
      store.findConversation({ organizationId, memberId, conversationId });
    const { keyId } = ACME;
    assert.deepEqual(await find(null), { keyId, keyName: keyId, createdAt: START, isDeleted: 0 });
    assert.equal(await find("mem_traced"), null);
    assert.equal(await find(null, "org_other"), null);
    await store.deleteConversation({ caller: ACME, conversationId });
    assert.equal((await find(null))?.isDeleted, 1);
    const { id } = await runResponse(store, {});
    const owner = (of: string, cameMs: number | null = null) => store.findOwner({ id: of, cameMs, readsMax: 100 });
    for (const known of [id, conversationId, keyId, "mem_traced"]) {
      assert.equal(await owner(known), ACME.organizationId, known);
    }
    assert.equal(await owner("resp_of_nobody"), null);
    const at = START + 40_000;
    await store.beginResponse(beginOf(headOf({ createdAt: at }), { requestId: "req_owned" }));
    assert.equal(await owner("req_owned", at * 1000), ACME.organizationId);
    assert.equal(await owner("req_owned", at * 1000 - 601_000), null, "not at the time of its id");
    assert.equal(await owner("req_owned"), null);
  });
});
