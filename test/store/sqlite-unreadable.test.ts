// Unreadable rows: a value in a list, an error by themselves, and no effect on their neighbours.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "../../src/ports/store/store.ts";
import { StoreError } from "../../src/ports/store/store.ts";
import { ACME, addCallers, answers, idsOf, inRoom, makeConversation, placeIn, runResponse, says } from "./fixtures.ts";
import { withDatabase } from "./raw-database.ts";
import { openFor } from "./sqlite-files.ts";

/** A conversation with that many items, some of them damaged. */
async function damage(store: Store, path: string, length: number, damaged: readonly number[], body = "{not json") {
  const items = Array.from({ length }, (_, index) => says(String(index)));
  const conversationId = await makeConversation(store, items);
  const ids = idsOf(items);
  withDatabase(path, (database) => {
    const spoil = database.prepare("update items set body = ? where public_id = ?");
    for (const index of damaged) spoil.run(body, ids[index]!);
  });
  return { conversationId, ids };
}

test("an unreadable item is returned as its id and a message", async (t) => {
  const { store, path } = await openFor(t);
  await addCallers(store);
  const bodies = ["", "{", "null", "[]", '{"type":"message"}', '{"type":"other","id":"x"}', '"text"'];
  for (const body of bodies) {
    const { conversationId, ids } = await damage(store, path, 3, [1], body);
    const page = await store.listItems({ caller: ACME, conversationId, order: "asc", after: null, limit: 9 });
    assert.ok(page.kind === "page");
    assert.deepEqual(
      page.items.map(({ readable }) => readable),
      [true, false, true],
      body,
    );
    const alone = inRoom(await store.readItem({ caller: ACME, conversationId, itemId: ids[1]! }));
    assert.ok(alone !== null && !alone.readable);
    assert.equal(alone.id, ids[1]);
    assert.notEqual(alone.message, "");
    assert.deepEqual(page.items[1], alone);
    const placement = await placeIn(store, conversationId);
    assert.ok(placement.kind === "append");
    const window = await store.readWindow({ itemsMax: 1e6, view: placement.view, sizeMax: 1e9 });
    assert.deepEqual([idsOf(window.items), window.unreadable], [[ids[0], ids[2]], 1]);
  }
});

test("an item with another item's id is unreadable", async (t) => {
  const { store, path } = await openFor(t);
  await addCallers(store);
  const { conversationId, ids } = await damage(store, path, 2, [0], JSON.stringify(answers("somebody else's")));
  const item = inRoom(await store.readItem({ caller: ACME, conversationId, itemId: ids[0]! }));
  assert.equal(item?.readable, false);
});

test("a changed item of valid form is readable, and so is one without a checksum", async (t) => {
  const { store, path } = await openFor(t);
  await addCallers(store);
  const items = [says("first"), says("second")];
  const conversationId = await makeConversation(store, items);
  const [first, second] = idsOf(items);
  withDatabase(path, (database) => {
    database.prepare("update items set body = replace(body, 'first', 'other') where public_id = ?").run(first!);
    database.prepare("update items set body_checksum = null where public_id = ?").run(second!);
  });
  const texts = await Promise.all(
    [first!, second!].map(async (itemId) => {
      const item = inRoom(await store.readItem({ caller: ACME, conversationId, itemId }));
      return item?.readable === true ? item.text : null;
    }),
  );
  assert.deepEqual(texts, [JSON.stringify(items[0]!.item).replace("first", "other"), JSON.stringify(items[1]!.item)]);
});

test("no page before the last has only unreadable items, and pages lose and repeat nothing", async (t) => {
  const { store, path } = await openFor(t);
  await addCallers(store);
  for (const damaged of [
    [0, 1, 2, 3, 4, 5],
    [2, 3, 4],
    [1, 3, 5, 7, 9],
    [7, 8, 9],
    [0, 9],
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  ]) {
    const { conversationId, ids } = await damage(store, path, 10, damaged);
    for (const limit of [1, 2, 3, 20]) {
      for (const order of ["asc", "desc"] as const) {
        const seen: string[] = [];
        let after: string | null = null;
        for (;;) {
          const page = await store.listItems({ caller: ACME, conversationId, order, after, limit });
          assert.ok(page.kind === "page");
          seen.push(...page.items.map(({ id }) => id));
          if (!page.hasMore) break;
          // As clients do: continue after the last item that they could read.
          const last = page.items.findLast(({ readable }) => readable);
          assert.ok(last?.readable, "a page that is followed has a readable item");
          after = last.id;
        }
        assert.deepEqual(seen, order === "asc" ? ids : ids.toReversed(), `${damaged.join()} by ${limit} ${order}`);
      }
    }
  }
});

test("a response reports its unreadable items beside its output; one without a head fails alone", async (t) => {
  const { store, path } = await openFor(t);
  await addCallers(store);
  const output = answers("spoilt");
  const read = answers("fine");
  const spoilt = await runResponse(store, { output: [read, output] });
  const headless = await runResponse(store);
  const fine = await runResponse(store);
  withDatabase(path, (database) => {
    database.prepare("update items set body = 'x' where public_id = ?").run(output.id);
    database.prepare("update responses set head = '{' where public_id = ?").run(headless.id);
  });
  const end = (await store.readResponse({ caller: ACME, responseId: spoilt.id }))?.end;
  assert.deepEqual(end?.output, [read]);
  assert.deepEqual(
    end?.unreadable?.map(({ id }) => id),
    [output.id],
  );
  await assert.rejects(
    store.readResponse({ caller: ACME, responseId: headless.id }),
    (error: unknown) => error instanceof StoreError && error.kind === "failed",
  );
  assert.equal((await store.readResponse({ caller: ACME, responseId: fine.id }))?.status, "completed");
  assert.equal(await store.deleteResponse({ caller: ACME, responseId: headless.id }), true);
});
