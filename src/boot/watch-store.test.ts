import assert from "node:assert/strict";
import { test } from "node:test";
import { LaterSchema, type Store, StoreError } from "../ports/store/store.ts";
import { watchStore } from "./watch-store.ts";

/** A store whose pings fail with this error. */
function failing(error: StoreError) {
  const reported: string[] = [];
  const report = ({ message }: StoreError) => void reported.push(message);
  const store = {
    ping: async () => {
      throw error;
    },
    listOrganizations: async () => [],
    close: async () => {},
  } as unknown as Store;
  return { watched: watchStore(store, { lost: report, leftBehind: report }), reported };
}

test("a lost store is reported once, and each caller gets the error", async () => {
  const { watched, reported } = failing(new StoreError("lost", "it is lost"));
  assert.deepEqual(await watched.listOrganizations(), []);
  await assert.rejects(watched.ping(), /it is lost/);
  await assert.rejects(watched.ping(), /it is lost/);
  assert.deepEqual(reported, ["it is lost"]);
});

test("a store that is unavailable or being closed is not lost", async () => {
  const away = failing(new StoreError("unavailable", "it is away"));
  await assert.rejects(away.watched.ping());
  const closing = failing(new StoreError("lost", "it is lost"));
  await closing.watched.close();
  await assert.rejects(closing.watched.ping());
  assert.deepEqual([...away.reported, ...closing.reported], []);
});

test("a later schema is reported once", async () => {
  const { watched, reported } = failing(new LaterSchema("unavailable", "later"));
  await assert.rejects(watched.ping(), LaterSchema);
  await assert.rejects(watched.ping(), LaterSchema);
  assert.deepEqual(reported, ["later"]);
});
