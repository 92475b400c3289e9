import assert from "node:assert/strict";
import { test } from "node:test";
import { type Store, StoreError } from "../ports/store.ts";
import { watchStore } from "./watch-store.ts";

/** A store whose pings fail as told. */
function failing(kind: StoreError["kind"]) {
  const told: string[] = [];
  const store = {
    ping: async () => Promise.reject(new StoreError(kind, `it is ${kind}`)),
    listOrganizations: async () => [],
    close: async () => {},
  } as unknown as Store;
  return { watched: watchStore(store, (error) => void told.push(error.message)), told };
}

test("a lost store is noticed once; whoever called hears it too", async () => {
  const { watched, told } = failing("lost");
  assert.deepEqual(await watched.listOrganizations(), []);
  await assert.rejects(watched.ping(), /it is lost/);
  await assert.rejects(watched.ping(), /it is lost/);
  assert.deepEqual(told, ["it is lost"]);
});

test("a store that is only out of reach, or is being closed, is not lost", async () => {
  const away = failing("unavailable");
  await assert.rejects(away.watched.ping());
  const closing = failing("lost");
  await closing.watched.close();
  await assert.rejects(closing.watched.ping());
  assert.deepEqual([...away.told, ...closing.told], []);
});
