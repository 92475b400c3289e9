import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "../../ports/store/store.ts";
import { exportConversations } from "./export-conversations.ts";

type Page = Awaited<ReturnType<Store["listItems"]>>;

const read = (id: string) => ({ readable: true as const, id, text: "{}" });
const unread = (id: string) => ({ readable: false as const, id, message: "no" });
const page = (hasMore: boolean, ...items: (ReturnType<typeof read> | ReturnType<typeof unread>)[]): Page => ({
  kind: "page",
  items,
  hasMore,
});

/** Exports one conversation whose pages are these; returns its items and the items after which pages were asked for. */
async function exported(pages: readonly Page[]) {
  const left = [...pages];
  const asked: (string | null)[] = [];
  const store: Pick<Store, "listConversations" | "listItems" | "readLinks"> = {
    readLinks: async () => [],
    listConversations: async () => ({
      conversations: [{ id: "conv_a", createdAt: 1, metadata: {}, keyId: "key_a" }],
      next: null,
    }),
    listItems: async ({ after }) => {
      asked.push(after);
      return left.shift() ?? assert.fail("no more pages");
    },
  };
  const ids: string[] = [];
  for await (const record of exportConversations(store, { organizationId: "org_a", keyId: null })) {
    ids.push(record.kind === "item" ? record.item.id : record.conversation.id);
  }
  assert.deepEqual(left, []);
  return { ids, asked };
}

const gone: Page = { kind: "no_such_item" };

test("pages are joined, unreadable items too", async () => {
  const { ids, asked } = await exported([page(true, read("a"), unread("b"), read("c")), page(false, unread("d"))]);
  assert.deepEqual(ids, ["conv_a", "a", "b", "c", "d"]);
  assert.deepEqual(asked, [null, "c"]);
});

test("when the item after which a page begins is deleted, the page begins after the one before it", async () => {
  const { ids, asked } = await exported([
    page(true, read("a"), read("b"), read("c")),
    gone,
    gone,
    page(false, read("d")),
  ]);
  assert.deepEqual(ids, ["conv_a", "a", "b", "c", "d"]);
  assert.deepEqual(asked, [null, "c", "b", "a"]);
});

test("when all of them are deleted, the export ends with an error instead of without items", () =>
  assert.rejects(exported([page(true, read("a")), gone]), /conv_a lost items while it was read; export again/));

test("a conversation that is deleted meanwhile ends there", async () => {
  const { ids } = await exported([page(true, read("a")), { kind: "missing" }]);
  assert.deepEqual(ids, ["conv_a", "a"]);
});
