// A page that is damaged while the file is open: only calls that need it fail. See docs/reliability.md, I-49, F-13
import assert from "node:assert/strict";
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { type TestContext, test } from "node:test";
import type { ConversationId, ItemId } from "../../src/contract/ids.ts";
import { SHORT_BYTES } from "../../src/ports/store/room.ts";
import { type Store, StoreError } from "../../src/ports/store/store.ts";
import { ACME, addCallers, idsOf, inRoom, makeConversation, says } from "./fixtures.ts";
import { withDatabase } from "./raw-database.ts";
import { openFor } from "./sqlite-files.ts";

const PAGE_BYTES = 4096;
/** Longer than a point read: it runs in the reader's thread. */
const LONG_PAGE = 100;

interface Place {
  readonly conversationId: ConversationId;
  readonly itemId: ItemId;
}

/** Two conversations far apart in the file; the page with the first one's item is overwritten. */
async function openDamaged(t: TestContext): Promise<{ store: Store; damaged: Place; sound: Place }> {
  const { store, path } = await openFor(t);
  await addCallers(store);
  const make = async (text: string): Promise<Place> => {
    const items = [says(text)];
    return { conversationId: await makeConversation(store, items), itemId: idsOf(items)[0]! };
  };
  const damaged = await make("the first of all");
  for (let count = 0; count < 40; count++) await make("x".repeat(1000));
  const sound = await make("the last of all");
  withDatabase(path, (database) => database.exec("pragma wal_checkpoint(truncate)"));
  const page = Math.floor(readFileSync(path).indexOf("the first of all") / PAGE_BYTES);
  const descriptor = openSync(path, "r+");
  writeSync(descriptor, Buffer.alloc(PAGE_BYTES, 0xff), 0, PAGE_BYTES, page * PAGE_BYTES);
  closeSync(descriptor);
  return { store, damaged, sound };
}

const isFailed = (error: unknown) => error instanceof StoreError && error.kind === "failed";

test("of point reads in one turn of the event loop, only the damaged one fails, every time", async (t) => {
  const { store, damaged, sound } = await openDamaged(t);
  const read = ({ conversationId, itemId }: Place) =>
    store.readItem({ caller: ACME, conversationId, itemId, room: SHORT_BYTES });
  for (let round = 0; round < 3; round++) {
    const [broken, fine] = await Promise.allSettled([read(damaged), read(sound)]);
    assert.ok(broken.status === "rejected" && isFailed(broken.reason));
    assert.equal(fine.status === "fulfilled" && inRoom(fine.value)?.readable, true);
    // The shared snapshot ends here.
    await new Promise((resolve) => setImmediate(resolve));
  }
});

test("of reads that share a snapshot in the reader's thread, only the damaged one fails", async (t) => {
  const { store, damaged, sound } = await openDamaged(t);
  const list = ({ conversationId }: Place) =>
    store.listItems({ caller: ACME, conversationId, order: "asc", after: null, limit: LONG_PAGE });
  for (let round = 0; round < 3; round++) {
    const [broken, fine] = await Promise.allSettled([list(damaged), list(sound)]);
    assert.ok(broken.status === "rejected" && isFailed(broken.reason));
    assert.equal(fine.status === "fulfilled" && fine.value.kind, "page");
  }
});

test("of writes that share a commit, only the damaged one fails, and the others are stored", async (t) => {
  const { store, damaged, sound } = await openDamaged(t);
  const remove = ({ conversationId, itemId }: Place) => store.deleteItem({ caller: ACME, conversationId, itemId });
  const [before, broken, fine] = await Promise.allSettled([
    makeConversation(store, [says("before")]),
    remove(damaged),
    remove(sound),
  ]);
  assert.ok(broken.status === "rejected" && isFailed(broken.reason));
  assert.equal(before.status, "fulfilled");
  assert.equal(fine.status, "fulfilled");
  assert.equal(await store.readItem({ caller: ACME, ...sound }), null);
  await makeConversation(store, [says("after")]);
});
