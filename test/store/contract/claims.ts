// Contract: idempotency keys.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS } from "../../../src/base/time.ts";
import type { Claim } from "../../../src/ports/store/claims.ts";
import {
  ACME,
  ACME_OTHER_KEY,
  beginOf,
  headOf,
  makeConversation,
  mintConversationId,
  OTHER,
  placeIn,
  runResponse,
  says,
  START_MS,
} from "../fixtures.ts";
import { describeStore } from "./suite.ts";

let keys = 0;

export const testClaims = describeStore("claims", (suite) => {
  const newClaim = (endpoint = "POST /responses"): Claim => ({ endpoint, key: `key ${++keys}`, fingerprint: "f1" });
  const find = (claim: Claim, organizationId = ACME.organizationId) =>
    suite.store.findClaim({ organizationId, endpoint: claim.endpoint, key: claim.key });

  test("a response's claim returns its result, within its organization and endpoint", async () => {
    const claim = newClaim();
    const head = await runResponse(suite.store, { begin: { claim, streamed: true } });
    assert.deepEqual(await find(claim), {
      fingerprint: "f1",
      keyId: ACME.keyId,
      claimedAtMs: suite.clock.nowMs(),
      result: { kind: "response", responseId: head.id, streamed: true },
    });
    assert.equal(await find(claim, OTHER.organizationId), null);
    assert.equal(await find({ ...claim, endpoint: "POST /conversations" }), null);
    assert.equal(await find(newClaim()), null);
  });

  test("of many requests with one key, one begins and nothing of the others is stored", async () => {
    const { store } = suite;
    const claim = newClaim();
    const begins = Array.from({ length: 20 }, (_, index) =>
      beginOf(headOf(), { claim: { ...claim, fingerprint: `f${index}` } }),
    );
    const outcomes = await Promise.all(begins.map((begin) => store.beginResponse(begin)));
    const winner = outcomes.findIndex(({ kind }) => kind === "begun");
    const claimed = await find(claim);
    assert.equal(claimed?.fingerprint, `f${winner}`);
    for (const [index, outcome] of outcomes.entries()) {
      if (index === winner) continue;
      assert.deepEqual(outcome, { kind: "claimed", earlier: claimed });
      assert.equal(await store.readResponse({ caller: ACME, responseId: begins[index]!.head.id }), null);
    }
  });

  test("keys belong to the organization: another of its API keys finds the claim", async () => {
    const claim = newClaim();
    await runResponse(suite.store, { begin: { claim } });
    const twin = await suite.store.beginResponse(beginOf(headOf(), { caller: ACME_OTHER_KEY, claim }));
    assert.equal(twin.kind === "claimed" && twin.earlier.keyId, ACME.keyId);
    const other = await suite.store.beginResponse(beginOf(headOf(), { caller: OTHER, claim }));
    assert.deepEqual(other, { kind: "begun" });
  });

  test("a claimed key stores no conversation, no labels, no items", async () => {
    const { store } = suite;
    const create = { caller: ACME, items: [says("a")] };
    const claim = newClaim("POST /conversations");
    const id = mintConversationId();
    const record = { createdAt: START_MS / 1000, metadata: {} };
    await store.createConversation({ ...create, conversation: { id, ...record }, claim });
    const claimed = await find(claim);
    assert.deepEqual(claimed?.result, { kind: "conversation", conversationId: id });
    const twinId = mintConversationId();
    const twin = await store.createConversation({ ...create, conversation: { id: twinId, ...record }, claim });
    assert.deepEqual(twin, { kind: "claimed", earlier: claimed });
    assert.equal(await store.readConversation({ caller: ACME, conversationId: twinId }), null);

    const relabelClaim = newClaim("POST /conversations/{conversation_id}");
    const relabel = { caller: ACME, conversationId: id, claim: relabelClaim };
    await store.relabelConversation({ ...relabel, metadata: { a: "1" } });
    const relabelled = await store.relabelConversation({ ...relabel, metadata: { a: "2" } });
    assert.deepEqual(relabelled, { kind: "claimed", earlier: await find(relabelClaim) });
    assert.deepEqual((await store.readConversation({ caller: ACME, conversationId: id }))?.metadata, { a: "1" });

    const addClaim = newClaim("POST /conversations/{conversation_id}/items");
    const added = [says("b"), says("c")];
    await store.addItems({ caller: ACME, conversationId: id, items: added, claim: addClaim });
    const again = await store.addItems({ caller: ACME, conversationId: id, items: [says("d")], claim: addClaim });
    const addClaimed = await find(addClaim);
    assert.deepEqual(again, { kind: "claimed", earlier: addClaimed });
    assert.deepEqual(addClaimed?.result, {
      kind: "items",
      conversationId: id,
      itemIds: added.map(({ item }) => item.id),
    });
    const placement = await placeIn(store, id);
    assert.equal(placement.kind === "append" && placement.view.size, 3);
  });

  test("a request for an invisible object claims no key", async () => {
    const { store } = suite;
    const conversationId = await makeConversation(store);
    for (const claim of [newClaim("a"), newClaim("b")]) {
      const query = { caller: ACME_OTHER_KEY, conversationId, claim };
      await store.relabelConversation({ ...query, metadata: {} });
      await store.addItems({ ...query, items: [says("a")] });
      assert.equal(await find(claim), null);
    }
  });

  test("a key is kept for its retention, then free", async () => {
    const { store, clock } = suite;
    const claim = newClaim();
    const first = await runResponse(store, { begin: { claim } });
    clock.advance(DAY_MS - 1);
    assert.notEqual(await find(claim), null);
    assert.equal((await store.beginResponse(beginOf(headOf(), { claim }))).kind, "claimed");
    clock.advance(1);
    assert.equal(await find(claim), null);
    const second = headOf();
    assert.deepEqual(await store.beginResponse(beginOf(second, { claim })), { kind: "begun" });
    const made = (await find(claim))?.result;
    assert.deepEqual(made, { kind: "response", responseId: second.id, streamed: false });
    assert.notEqual(await store.readResponse({ caller: ACME, responseId: first.id }), null);
  });

  test("a response whose claim is older than the wait is not withdrawn: a retry may have its id", async () => {
    const { store, clock } = suite;
    const claim = newClaim();
    const head = headOf();
    await store.beginResponse(beginOf(head, { claim }));
    const unclaimed = headOf();
    await store.beginResponse(beginOf(unclaimed));
    clock.advance(90_000);
    assert.equal(await store.withdrawResponse({ responseId: head.id, waitMs: 90_000 }), false);
    assert.notEqual(await find(claim), null);
    assert.notEqual(await store.readResponse({ caller: ACME, responseId: head.id }), null);
    assert.equal(await store.withdrawResponse({ responseId: unclaimed.id, waitMs: 90_000 }), true);
    assert.equal(await store.withdrawResponse({ responseId: head.id, waitMs: 90_001 }), true);
    assert.equal(await find(claim), null);
  });

  test("withdrawing a response frees only its own claim", async () => {
    const { store, clock } = suite;
    const claim = newClaim();
    const first = headOf();
    await store.beginResponse(beginOf(first, { claim }));
    clock.advance(DAY_MS);
    const second = headOf();
    await store.beginResponse(beginOf(second, { claim }));
    await store.withdrawResponse({ responseId: first.id });
    const made = (await find(claim))?.result;
    assert.deepEqual(made, { kind: "response", responseId: second.id, streamed: false });
  });
});
