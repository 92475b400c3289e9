import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item, Message } from "../../contract/items.ts";
import type { NewItem } from "../../core/history/history-item.ts";
import type { ImportOutcome, MovingStore } from "../../ports/store/conversations.ts";
import { createIds } from "../../system/ids.ts";
import { importConversation } from "./import-items.ts";

const says = (id: string, role: Message["role"] = "user", text = "x"): Message => ({
  type: "message",
  id,
  role,
  status: "completed",
  content: [{ type: "input_text", text }],
});

/** Imports items; returns the batches as the store got them. */
async function imported(
  items: readonly Item[],
  { keepsIds = false, answer }: { keepsIds?: boolean; answer?: ImportOutcome } = {},
) {
  const batches: { from: number; isNew: boolean; items: readonly NewItem[] }[] = [];
  const store: Pick<MovingStore, "importItems"> = {
    importItems: async ({ from, isNew, items: batch }) => {
      batches.push({ from, isNew, items: batch });
      return answer ?? { kind: "held", items: from + batch.length };
    },
  };
  const caller = { organizationId: "org_a", keyId: "key_a" };
  const conversation = { id: "conv_a", isBegun: false, createdAt: 1, metadata: {} } as const;
  const importing = importConversation({ store, ids: createIds(), caller, keepsIds }, conversation);
  for (const item of items) await importing.add(item);
  return { count: await importing.finish(), batches };
}

test("items are stored in batches of a bounded number and length; a longer item has a batch of its own", async () => {
  const many = await imported(Array.from({ length: 1001 }, (_, at) => says(`msg_${at}`)));
  assert.deepEqual(
    many.batches.map(({ from, isNew, items }) => [from, isNew, items.length]),
    [
      [0, true, 500],
      [500, false, 500],
      [1000, false, 1],
    ],
  );
  assert.equal(many.count, 1001);
  const long = says("msg_l", "user", "x".repeat(5 * 1024 * 1024));
  assert.deepEqual(
    (await imported([says("msg_1"), long, long, says("msg_2")])).batches.map(({ items }) => items.length),
    [2, 2],
  );
});

test("a batch begins no response by itself", async () => {
  const { batches } = await imported(Array.from({ length: 502 }, (_, at) => says(`msg_${at}`, "assistant")));
  assert.deepEqual(
    batches.map(({ items }) => items.filter(({ opensTurn }) => opensTurn).length),
    [1, 0],
  );
});

test("ids are new; kept ones are those of our form, each once", async () => {
  const items = [says("msg_a"), says("msg_a"), says("item 7")];
  const idsOf = async (keepsIds: boolean) =>
    (await imported(items, { keepsIds })).batches.flatMap(({ items: batch }) => batch.map(({ item }) => item.id));
  for (const id of await idsOf(false)) assert.match(id, /^msg_[0-9a-f]{32}$/);
  const [first, second, third] = await idsOf(true);
  assert.equal(first, "msg_a");
  assert.match(`${second} ${third}`, /^msg_[0-9a-f]{32} msg_[0-9a-f]{32}$/);
});

test("a conversation without items is created", async () => {
  assert.deepEqual(await imported([]), { count: 0, batches: [{ from: 0, isNew: true, items: [] }] });
});

const faults: readonly (readonly [ImportOutcome, RegExp])[] = [
  [{ kind: "taken" }, /conv_a is that of another conversation/],
  [{ kind: "missing" }, /conv_a was deleted meanwhile/],
  [{ kind: "revoked" }, /key_a is revoked/],
  [{ kind: "held", items: 0 }, /conv_a has other items than the import/],
];
for (const [answer, expected] of faults) {
  test(`the answer ${JSON.stringify(answer)} ends the import`, () =>
    assert.rejects(imported([says("msg_a")], { answer }), expected));
}
