import assert from "node:assert/strict";
import { test } from "node:test";
import { type Store, StoreError } from "../ports/store/store.ts";
import { watchStore } from "./watch-store.ts";

/** A store whose pings fail with this kind of error. */
function failing(kind: StoreError["kind"]) {
  const reported: string[] = [];
  const store = {
    ping: async () => Promise.reject(new StoreError(kind, `it is ${kind}`)),
    listOrganizations: async () => [],
    close: async () => {},
  } as unknown as Store;
  return { watched: watchStore(store, (error) => void reported.push(error.message)), reported };
}

test("a lost store is reported once, and each caller gets the error", async () => {
  const { watched, reported } = failing("lost");
  assert.deepEqual(await watched.listOrganizations(), []);
  await assert.rejects(watched.ping(), /it is lost/);
  await assert.rejects(watched.ping(), /it is lost/);
  assert.deepEqual(reported, ["it is lost"]);
});

test("a store that is unavailable or being closed is not lost", async () => {
  const away = failing("unavailable");
  await assert.rejects(away.watched.ping());
  const closing = failing("lost");
  await closing.watched.close();
  await assert.rejects(closing.watched.ping());
  assert.deepEqual([...away.reported, ...closing.reported], []);
});
