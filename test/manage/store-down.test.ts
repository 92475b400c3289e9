// An unavailable store: no credentials are called invalid, and no detail of the failure is sent.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Store, StoreError } from "../../src/ports/store/store.ts";
import { ManagedService } from "./managed-service.ts";

/** The error that the store throws; null: it works. */
let fault: StoreError | null = null;

function breakable(store: Store): Store {
  const calls = Object.entries(store).map(([name, call]) => [
    name,
    async (argument: never) => {
      if (fault !== null && name !== "close") throw fault;
      return (call as (argument: never) => unknown)(argument);
    },
  ]);
  return Object.fromEntries(calls) as Store;
}

let managed: ManagedService;
before(async () => {
  managed = await ManagedService.start({ wrapStore: breakable });
});
after(async () => {
  fault = null;
  await managed.close();
});

test("credentials that cannot be checked are 503 auth_unavailable, never a 401", async () => {
  const person = await managed.newPerson(await managed.newOrganization(), "owner");
  fault = new StoreError("unavailable", "SQLITE_BUSY: table sessions");
  for (const who of [managed.operator, person]) {
    const { status, json, headers, text } = await managed.ask(who, "GET", "/session");
    assert.deepEqual([status, json.error.code, headers["retry-after"]], [503, "auth_unavailable", "1"]);
    assert.doesNotMatch(text, /SQLITE|sessions/);
  }
  fault = null;
  assert.equal((await managed.ask(person, "GET", "/session")).status, 200);
});

test("a sign-in without a store is 503 database_unavailable", async () => {
  fault = new StoreError("unavailable", "locked");
  const body = { email: "ada@test.test", password: "twelve letters" };
  const { status, json } = await managed.ask(null, "POST", "/session", { body });
  assert.deepEqual([status, json.error.code], [503, "database_unavailable"]);
  fault = null;
});

test("a malformed token is a 401 without the store", async () => {
  fault = new StoreError("unavailable", "locked");
  const { status } = await managed.ask({ token: "adm_mistyped" }, "GET", "/session");
  assert.equal(status, 401);
  fault = null;
});
