// Contract: expiry, orphans, and erasure as readers see it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS, HOUR_MS } from "../../../src/base/time.ts";
import { StoreError } from "../../../src/ports/store/store.ts";
import { ACME, answers, beginOf, headOf, makeConversation, OTHER, placeIn, runResponse, says } from "../fixtures.ts";
import { describeStore } from "./suite.ts";
import { TESTS } from "../../support/actor.ts";

const RETENTION = { retentionHours: 24, eventDays: 90 };

export const testUpkeep = describeStore("upkeep", (suite, open) => {
  test("an open store responds to a ping", async () => {
    await suite.store.ping();
  });

  test("the store keeps its first root secret", async () => {
    const { store } = suite;
    assert.equal(await store.fitsSecret({ checkValue: "one" }), true);
    assert.equal(await store.fitsSecret({ checkValue: "other" }), false);
    assert.equal(await store.fitsSecret({ checkValue: "one" }), true);
  });

  test("every call of a closed store is unavailable; closing it again is no error", async () => {
    const { store, close } = await open();
    await Promise.all([close(), close()]);
    await assert.rejects(store.ping(), (error: unknown) => error instanceof StoreError && error.kind === "unavailable");
  });

  test("calls made before the close succeed", async () => {
    const { store, close } = await open();
    const asked = store.createOrganization({ by: TESTS, id: "org_last", name: "last", createdAt: 1 });
    const closed = close();
    assert.equal((await asked).id, "org_last");
    await closed;
  });

  test("expired keys and secrets are deleted and counted", async () => {
    const { store, clock } = suite;
    const claim = { endpoint: "e", key: "k", fingerprint: "f" };
    await runResponse(store, { begin: { claim } });
    await store.rotateKey({
      by: TESTS,
      keyId: "key_other",
      secret: { lookup: "look_2", hash: "h" },
      graceSeconds: 3600,
    });
    assert.deepEqual(await store.forgetExpired(RETENTION), {
      claims: 0,
      secrets: 0,
      events: 0,
      rejections: 0,
      failures: 0,
    });
    clock.advance(HOUR_MS);
    assert.deepEqual(await store.forgetExpired(RETENTION), {
      claims: 0,
      secrets: 1,
      events: 0,
      rejections: 0,
      failures: 0,
    });
    clock.advance(DAY_MS);
    await runResponse(store, { begin: { claim: { ...claim, key: "young" } } });
    assert.deepEqual(await store.forgetExpired(RETENTION), {
      claims: 1,
      secrets: 0,
      events: 0,
      rejections: 0,
      failures: 0,
    });
    assert.deepEqual(await store.forgetExpired(RETENTION), {
      claims: 0,
      secrets: 0,
      events: 0,
      rejections: 0,
      failures: 0,
    });
  });

  test("a response of this process is no orphan", async () => {
    await suite.store.beginResponse(beginOf(headOf()));
    assert.deepEqual(await suite.store.listOrphans(), []);
  });

  test("erasure removes what was deleted long enough ago, in batches, and nothing else", async () => {
    const { store, clock } = suite;
    const kept = await runResponse(store);
    const item = says("x");
    const conversationId = await makeConversation(store, [item]);
    await store.deleteItem({ caller: ACME, conversationId, itemId: item.item.id });
    const gone = await runResponse(store, { output: [answers("a"), answers("b")] });
    await store.deleteResponse({ caller: ACME, responseId: gone.id });
    const doomed = await makeConversation(store, [says("y"), says("z")]);
    await runResponse(store, { head: { conversationId: doomed }, begin: { placement: await placeIn(store, doomed) } });
    await store.deleteConversation({ caller: ACME, conversationId: doomed });
    const erase = () => store.eraseDeleted({ olderThanDays: 30, batch: 3, mayBlockWrites: false });
    clock.advance(30 * DAY_MS - 1);
    assert.deepEqual(await erase(), { erased: 0, more: false });
    clock.advance(1);
    let erased = 0;
    for (let rounds = 0; ; rounds++) {
      assert.ok(rounds < 20, "erasure comes to an end");
      const round = await erase();
      assert.ok(round.erased <= 3);
      erased += round.erased;
      if (!round.more) break;
    }
    // One item; a response and three items; a conversation, four items and a response.
    assert.equal(erased, 1 + 4 + 6);
    assert.deepEqual(await erase(), { erased: 0, more: false });
    assert.notEqual(await store.readResponse({ caller: ACME, responseId: kept.id }), null);
    assert.equal(await store.deleteResponse({ caller: ACME, responseId: gone.id }), true, "its tombstone stays");
    assert.equal(await store.deleteConversation({ caller: ACME, conversationId: doomed }), true);
    const page = await store.listItems({ caller: ACME, conversationId, order: "asc", after: null, limit: 5 });
    assert.deepEqual(page, { kind: "page", items: [], hasMore: false });
  });

  test("a piece of an erasure is bounded in bytes too, within a history and over several", async () => {
    const { store, clock } = suite;
    const texts = (count: number) => Array.from({ length: count }, () => says("x".repeat(1024 * 1024)));
    const conversationId = await makeConversation(store, texts(6));
    await store.deleteConversation({ caller: ACME, conversationId });
    clock.advance(30 * DAY_MS);
    const byAge = () => store.eraseDeleted({ olderThanDays: 30, batch: 500, mayBlockWrites: false });
    assert.deepEqual(await byAge(), { erased: 4, more: true }, "four items are 4 MiB and a little more");
    assert.deepEqual(await byAge(), { erased: 2 + 1, more: false }, "the other items, and the history");

    const { organizationId } = OTHER;
    for (let at = 0; at < 6; at++)
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await runResponse(store, { begin: { caller: OTHER }, input: texts(1) });
    await store.deleteOrganization({ by: TESTS, organizationId });
    const all = () => store.eraseOrganization({ by: TESTS, organizationId, batch: 500, mayBlockWrites: false });
    const states = [await all(), await all()].map(({ state }) => state);
    assert.deepEqual(states, ["more", "done"]);
  });
});
