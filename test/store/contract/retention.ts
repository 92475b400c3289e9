// Contract: histories expire as a whole, by their last use, and are erased without waiting.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS, HOUR_MS } from "../../../src/base/time.ts";
import type { Store } from "../../../src/ports/store/store.ts";
import { TESTS } from "../../support/actor.ts";
import {
  ACME,
  beginOf,
  headOf,
  endOf,
  makeConversation,
  OTHER,
  placeAfter,
  placeIn,
  runResponse,
  says,
  settleOf,
} from "../fixtures.ts";
import { describeStore } from "./suite.ts";

/** Deletes what was used more than ten days ago, in pieces of two histories; returns the number. */
async function expire(store: Store, organizationId = ACME.organizationId): Promise<number> {
  let expired = 0;
  for (let after: number | null = 0; after !== null; ) {
    const piece = await store.expireHistories({ organizationId, olderThanDays: 10, after, limit: 2 });
    expired += piece.expired;
    after = piece.next;
  }
  return expired;
}

export const testRetention = describeStore("retention", (suite) => {
  const read = (responseId: string, caller = ACME) => suite.store.readResponse({ caller, responseId });

  test("a history expires that many days after its last response, not before; its content is erased at once", async () => {
    const { store, clock } = suite;
    const first = await runResponse(store);
    const failed = await runResponse(store, { end: { status: "failed" } });
    const foreign = await runResponse(store, { begin: { caller: OTHER } });
    const others = [await runResponse(store), await runResponse(store), await runResponse(store)];
    clock.advance(4 * DAY_MS);
    const second = await runResponse(store, { begin: { placement: await placeAfter(store, first.id) } });
    clock.advance(6 * DAY_MS + HOUR_MS - 1);
    assert.equal(await expire(store), 0);
    clock.advance(1);
    assert.equal(await expire(store), 1 + others.length, "the failed turn's history and the others");
    assert.equal(await expire(store), 0);
    for (const { id } of [failed, ...others]) assert.equal(await read(id), null);
    for (const { id } of [first, second]) assert.notEqual(await read(id), null, "a living chain stays whole");
    assert.notEqual(await read(foreign.id, OTHER), null, "another organization's");
    const query = { caller: ACME, name: { by: "response", responseId: failed.id, answeredCallIds: [] } } as const;
    assert.equal(await store.findContinuation(query), null);
    // A response and its two items; the failed response lists none, but stores its output. And each history's mark.
    const erased = await store.eraseDeleted({ olderThanDays: 30, batch: 100, mayBlockWrites: false });
    assert.deepEqual(erased, { erased: 4 * others.length + 3, more: false });
    clock.advance(4 * DAY_MS);
    assert.equal(await expire(store), 1);
    for (const { id } of [first, second]) assert.equal(await read(id), null);
    assert.equal(await expire(store, OTHER.organizationId), 1);
  });

  test("a response in a branch keeps the whole history; so do added items and a running response", async () => {
    const { store, clock } = suite;
    const first = await runResponse(store);
    await runResponse(store, { begin: { placement: await placeAfter(store, first.id) } });
    const branch = await runResponse(store, { begin: { placement: await placeAfter(store, first.id) } });
    const conversationId = await makeConversation(store, [says("a")]);
    const running = headOf();
    clock.advance(8 * DAY_MS);
    const later = await runResponse(store, { begin: { placement: await placeAfter(store, branch.id) } });
    await store.addItems({ caller: ACME, conversationId, items: [says("b")], claim: null });
    const quiet = await makeConversation(store, [says("a")]);
    await store.beginResponse(beginOf(running, { placement: await placeIn(store, quiet) }));
    clock.advance(10 * DAY_MS);
    assert.equal(await expire(store), 0);
    assert.notEqual(await read(first.id), null);
    clock.advance(HOUR_MS);
    assert.equal(await expire(store), 2);
    assert.equal(await read(later.id), null);
    assert.equal(await store.readConversation({ caller: ACME, conversationId }), null);
    assert.notEqual(await store.readConversation({ caller: ACME, conversationId: quiet }), null);
    await store.settleResponse(settleOf(running.id, [says("c")], endOf([])));
    clock.advance(10 * DAY_MS);
    assert.equal(await expire(store), 0, "its turn ended ten days ago");
    clock.advance(HOUR_MS);
    assert.equal(await expire(store), 1);
  });

  test("a deleted conversation's content is not kept longer than a live one's", async () => {
    const { store, clock } = suite;
    const doomed = await makeConversation(store, [says("a")]);
    const kept = await makeConversation(store, [says("a")]);
    clock.advance(9 * DAY_MS);
    await store.deleteConversation({ caller: ACME, conversationId: doomed });
    await store.addItems({ caller: ACME, conversationId: kept, items: [says("b")], claim: null });
    clock.advance(DAY_MS + HOUR_MS);
    while ((await store.eraseDeleted({ olderThanDays: 30, batch: 100, mayBlockWrites: false })).more);
    assert.equal(await expire(store), 1);
    const erased = await store.eraseDeleted({ olderThanDays: 30, batch: 100, mayBlockWrites: false });
    assert.deepEqual(erased, { erased: 2, more: false });
    assert.equal(await store.deleteConversation({ caller: ACME, conversationId: doomed }), true, "its tombstone stays");
    assert.notEqual(await store.readConversation({ caller: ACME, conversationId: kept }), null);
  });

  test("the log of turns and the usage outlive a history", async () => {
    const { store, clock } = suite;
    const { id, createdAt } = await runResponse(store);
    const usage = () =>
      store.readUsage({ organizationId: ACME.organizationId, by: [], fromDay: null, toDay: null, limit: 5 });
    const before = await usage();
    clock.advance(10 * DAY_MS + HOUR_MS);
    assert.ok((await expire(store)) > 0);
    while ((await store.eraseDeleted({ olderThanDays: 30, batch: 100, mayBlockWrites: false })).more);
    const logged = await store.findResponse({ organizationId: ACME.organizationId, memberId: null, responseId: id });
    assert.deepEqual([logged?.status, logged?.usage.input_tokens, logged?.createdAt], ["completed", 10, createdAt]);
    assert.deepEqual(await usage(), before);
  });

  test("an organization has a retention, and can return to the service's", async () => {
    const { store } = suite;
    const set = (retentionDays: number | null) =>
      store.updateOrganization({ by: TESTS, organizationId: OTHER.organizationId, retentionDays });
    assert.equal((await set(30)).retentionDays, 30);
    const { organizationId } = OTHER;
    const { name } = await store.updateOrganization({ by: TESTS, organizationId, paymentMethod: true });
    assert.equal((await store.findOrganization({ idOrName: name }))?.retentionDays, 30);
    assert.equal((await set(null)).retentionDays, null);
  });
});
