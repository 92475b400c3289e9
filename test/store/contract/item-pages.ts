// Contract: pages of a conversation's items.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ACME, answers, idsOf, makeConversation, placeIn, runResponse, says } from "../fixtures.ts";
import { describeStore, type Suite } from "./suite.ts";

/** Reads all pages of a conversation; each but the last must be full. */
async function walk(suite: Suite, conversationId: string, order: "asc" | "desc", limit: number): Promise<string[]> {
  const seen: string[] = [];
  for (;;) {
    const after: string | null = seen.at(-1) ?? null;
    const page = await suite.store.listItems({ caller: ACME, conversationId, order, after, limit });
    assert.ok(page.kind === "page");
    for (const item of page.items) {
      assert.ok(item.readable);
      seen.push(item.id);
    }
    if (!page.hasMore) return seen;
    assert.equal(page.items.length, limit);
  }
}

export const testItemPages = describeStore("item pages", (suite) => {
  test("the pages together are the whole list, at every size and in both orders", async () => {
    const { store } = suite;
    const items = Array.from({ length: 11 }, (_, index) => says(String(index)));
    const conversationId = await makeConversation(store, items);
    const deleted = [items[0]!, items[4]!, items[5]!, items[10]!];
    for (const { item } of deleted) await store.deleteItem({ caller: ACME, conversationId, itemId: item.id });
    const live = idsOf(items.filter((item) => !deleted.includes(item)));
    for (let limit = 1; limit <= 8; limit++) {
      assert.deepEqual(await walk(suite, conversationId, "asc", limit), live, `asc ${limit}`);
      assert.deepEqual(await walk(suite, conversationId, "desc", limit), live.toReversed(), `desc ${limit}`);
    }
  });

  test("a page ends at 2 MiB; a longer item gets a page of its own", async () => {
    const { store } = suite;
    const long = (kibibytes: number) => says("x".repeat(kibibytes * 1024));
    const items = [says("a"), long(900), long(1000), says("b"), long(900), long(2500), long(120), says("c")];
    const conversationId = await makeConversation(store, items);
    const pagesOf = async (order: "asc" | "desc", limit: number) => {
      const pages: string[][] = [];
      for (let hasMore = true; hasMore; ) {
        const after: string | null = pages.at(-1)?.at(-1) ?? null;
        const page = await store.listItems({ caller: ACME, conversationId, order, after, limit });
        assert.ok(page.kind === "page");
        for (const item of page.items) {
          const stored = items.find(({ item: { id } }) => id === item.id);
          assert.ok(item.readable && Buffer.from(item.text).toString() === JSON.stringify(stored?.item));
        }
        pages.push(page.items.map(({ id }) => id));
        hasMore = page.hasMore;
      }
      return pages;
    };
    const [a, first, second, b, third, longest, short, c] = idsOf(items);
    for (const limit of [20, 500]) {
      assert.deepEqual(await pagesOf("asc", limit), [[a, first, second, b], [third], [longest], [short, c]]);
      assert.deepEqual(await pagesOf("desc", limit), [[c, short], [longest], [third, b, second], [first, a]]);
    }
  });

  test("an empty conversation has an empty page", async () => {
    const conversationId = await makeConversation(suite.store);
    for (const order of ["asc", "desc"] as const) {
      const page = await suite.store.listItems({ caller: ACME, conversationId, order, after: null, limit: 20 });
      assert.deepEqual(page, { kind: "page", items: [], hasMore: false });
    }
  });

  test("there is no page after an item that the conversation never had", async () => {
    const { store } = suite;
    const foreign = says("x");
    await makeConversation(store, [foreign]);
    const conversationId = await makeConversation(store, [says("a")]);
    const failedOutput = answers("never listed");
    await runResponse(store, {
      head: { conversationId },
      begin: { placement: await placeIn(store, conversationId) },
      output: [failedOutput],
      end: { status: "failed", error: { code: "run_failed", message: "m" } },
    });
    for (const after of ["msg_none", "", foreign.item.id, failedOutput.id]) {
      const page = await store.listItems({ caller: ACME, conversationId, order: "asc", after, limit: 5 });
      assert.deepEqual(page, { kind: "no_such_item" }, after);
    }
  });

  test("there is no page after a deleted item, whether deleted by itself or with its response; after others there is", async () => {
    const { store } = suite;
    const items = [says("a"), says("b")];
    const conversationId = await makeConversation(store, items);
    const [a, b] = idsOf(items);
    const output = answers("of a turn");
    const { id: responseId } = await runResponse(store, {
      begin: { placement: await placeIn(store, conversationId) },
      output: [output],
    });
    await store.deleteItem({ caller: ACME, conversationId, itemId: b! });
    await store.deleteResponse({ caller: ACME, responseId });
    for (const order of ["asc", "desc"] as const) {
      const list = (after: string) => store.listItems({ caller: ACME, conversationId, order, after, limit: 5 });
      for (const after of [b!, output.id]) assert.deepEqual(await list(after), { kind: "no_such_item" });
      assert.deepEqual(await list(a!), { kind: "page", items: [], hasMore: false });
    }
  });

  test("pages read while items are appended have no gap and no duplicate", async () => {
    const { store } = suite;
    const conversationId = await makeConversation(store, [says("0"), says("1"), says("2")]);
    const seen: string[] = [];
    for (let round = 0; round < 6; round++) {
      const after = seen.at(-1) ?? null;
      const page = await store.listItems({ caller: ACME, conversationId, order: "asc", after, limit: 2 });
      assert.ok(page.kind === "page");
      for (const item of page.items) if (item.readable) seen.push(item.id);
      if (round < 3) await store.addItems({ caller: ACME, conversationId, items: [says("more")], claim: null });
    }
    assert.deepEqual(seen, await walk(suite, conversationId, "asc", 500));
  });
});
