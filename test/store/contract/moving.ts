// Contract: conversations that are exported and imported.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ACME,
  ACME_OTHER_KEY,
  answers,
  idsOf,
  makeConversation,
  mintConversationId,
  OTHER,
  placeIn,
  runResponse,
  says,
  START_MS,
  STRANGERS,
} from "../fixtures.ts";
import { TESTS } from "../../support/actor.ts";
import { describeStore } from "./suite.ts";

export const testMoving = describeStore("exported and imported conversations", (suite) => {
  const createdAt = START_MS / 1000;

  test("the conversations of an organization or a key are listed page by page, without deleted ones and branches", async () => {
    const { store } = suite;
    const make = async (caller = ACME, metadata: Record<string, string> = {}) => {
      const conversation = { id: mintConversationId(), createdAt, metadata };
      await store.createConversation({ caller, conversation, items: [], claim: null });
      return { ...conversation, keyId: caller.keyId };
    };
    const listAll = async (organizationId: string, keyId: string | null, readsMax: number) => {
      const found: unknown[] = [];
      for (let after: number | null = 0; after !== null; ) {
        const page: Awaited<ReturnType<typeof store.listConversations>> = await store.listConversations({
          organizationId,
          keyId,
          after,
          readsMax,
        });
        found.push(...page.conversations);
        assert.ok(page.conversations.length <= readsMax);
        after = page.next;
      }
      return found;
    };
    assert.deepEqual(await listAll("org_acme", null, 1), []);
    const first = await make(ACME, { a: "1" });
    await runResponse(store);
    const others = await make(ACME_OTHER_KEY);
    const elsewhere = await make(OTHER);
    const deleted = await make();
    await store.deleteConversation({ caller: ACME, conversationId: deleted.id });
    const last = await make();
    for (const readsMax of [1, 2, 1000]) {
      assert.deepEqual(await listAll("org_acme", null, readsMax), [first, others, last]);
      assert.deepEqual(await listAll("org_acme", "key_acme", readsMax), [first, last]);
      assert.deepEqual(await listAll("org_other", null, readsMax), [elsewhere]);
      assert.deepEqual(await listAll("org_other", "key_acme", readsMax), []);
    }
  });

  test("items are imported in order behind those before, each once however often a call is repeated", async () => {
    const { store } = suite;
    const conversation = { id: mintConversationId(), createdAt: 5, metadata: { a: "1" } };
    const conversationId = conversation.id;
    const items = [says("a"), says("b"), says("c")];
    const put = (from: number, isNew: boolean, given = items) =>
      store.importItems({ caller: ACME, conversation, from, isNew, items: given });
    assert.deepEqual(await put(0, true, items.slice(0, 2)), { kind: "held", items: 2 });
    assert.deepEqual(await put(0, false, items.slice(0, 2)), { kind: "held", items: 2 });
    assert.deepEqual(await put(2, false, items.slice(2)), { kind: "held", items: 3 });
    assert.deepEqual(await put(2, false, items.slice(2)), { kind: "held", items: 3 });
    assert.deepEqual(await put(4, false, [says("d")]), { kind: "held", items: 3 });
    assert.deepEqual(await put(0, true), { kind: "taken" });
    assert.deepEqual(await store.readConversation({ caller: ACME, conversationId }), conversation);
    const page = await store.listItems({ caller: ACME, conversationId, order: "asc", after: null, limit: 10 });
    assert.deepEqual(page.kind === "page" && page.items.map(({ id }) => id), idsOf(items));
    await store.deleteItem({ caller: ACME, conversationId, itemId: items[0]!.item.id });
    assert.deepEqual(await put(2, false, items.slice(2)), { kind: "held", items: 3 });
    // A response goes on with what was imported.
    const { view } = await placeIn(store, conversationId).then((placement) =>
      placement.kind === "append" ? placement : assert.fail(placement.kind),
    );
    assert.deepEqual([view.size, view.turns], [2, 2]);
    await runResponse(store, { head: { conversationId }, begin: { placement: await placeIn(store, conversationId) } });
  });

  test("a conversation of another key and a deleted one are not imported into", async () => {
    const { store } = suite;
    const id = await makeConversation(store, [says("mine")]);
    const conversation = { id, createdAt, metadata: {} };
    const items = [says("theirs")];
    for (const [who, caller] of STRANGERS) {
      assert.deepEqual(
        await store.importItems({ caller, conversation, from: 0, isNew: false, items }),
        { kind: "taken" },
        who,
      );
      assert.deepEqual(
        await store.importItems({ caller, conversation, from: 1, isNew: false, items }),
        { kind: "missing" },
        who,
      );
    }
    await store.deleteConversation({ caller: ACME, conversationId: id });
    const again = (from: number) => store.importItems({ caller: ACME, conversation, from, isNew: false, items });
    assert.deepEqual([await again(0), await again(1)], [{ kind: "taken" }, { kind: "missing" }]);
  });

  test("nothing is imported for a revoked key", async () => {
    const { store } = suite;
    const caller = { organizationId: "org_acme", keyId: "key_gone" };
    const key = {
      id: caller.keyId,
      organizationId: "org_acme",
      memberId: null,
      name: "gone",
      permission: "all",
    } as const;
    const secret = { lookup: "look_gone", hash: "hash_gone" };
    await store.createKey({ by: TESTS, key: { ...key, createdAt: 1, revokedAt: null }, secret });
    const conversation = { id: mintConversationId(), createdAt, metadata: {} };
    const put = (from: number) => store.importItems({ caller, conversation, from, isNew: false, items: [says("a")] });
    assert.deepEqual(await put(0), { kind: "held", items: 1 });
    await store.revokeKey({ by: TESTS, keyId: caller.keyId, revokedAt: 2 });
    assert.deepEqual(await put(1), { kind: "revoked" });
    const elsewhere = {
      caller: { ...caller, organizationId: "org_other" },
      conversation,
      from: 0,
      isNew: false,
      items: [],
    };
    assert.deepEqual(await store.importItems(elsewhere), { kind: "revoked" });
  });

  test("a conversation without items is imported, and a move is logged with its numbers", async () => {
    const { store } = suite;
    const conversation = { id: mintConversationId(), createdAt, metadata: {} };
    const put = { caller: ACME, conversation, from: 0, isNew: false, items: [] };
    assert.deepEqual(await store.importItems(put), { kind: "held", items: 0 });
    assert.deepEqual(await store.importItems(put), { kind: "held", items: 0 });
    const counts = { conversations: 1, items: 0 };
    const [organizationId, keyId] = ["org_acme", "key_acme"];
    await store.logMove({ by: TESTS, action: "conversation.import", organizationId, keyId, ...counts });
    const [entry] = await store.listAudit({ organizationId, before: null, limit: 1 });
    assert.partialDeepStrictEqual(entry, {
      action: "conversation.import",
      target: keyId,
      before: null,
      after: counts,
    });
  });

  test("an imported answer belongs to no response, and can be deleted", async () => {
    const { store } = suite;
    const conversation = { id: mintConversationId(), createdAt, metadata: {} };
    const item = answers("imported");
    const items = [{ item, opensTurn: true, carried: false, answers: null, size: 8 }];
    await store.importItems({ caller: ACME, conversation, from: 0, isNew: true, items });
    const itemId = item.id;
    assert.deepEqual(await store.readItem({ caller: ACME, conversationId: conversation.id, itemId }), {
      readable: true,
      id: itemId,
      text: JSON.stringify(item),
    });
    const deleted = await store.deleteItem({ caller: ACME, conversationId: conversation.id, itemId });
    assert.equal(deleted.kind, "deleted");
  });
});
