// The store behind a pooler in transaction mode, without named statements: nothing that it does needs a session. See
// docs/nodes.md
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { StoreError } from "../../src/ports/store/store.ts";
import { postgresEngine } from "../../src/store/postgres/engine.ts";
import { openPostgres } from "../../src/store/postgres/open.ts";
import { testClaims } from "./contract/claims.ts";
import { testConcurrentMoney } from "./contract/concurrent-money.ts";
import { testResponses } from "./contract/responses.ts";
import { createManualClock, type OpenedStore } from "./fixtures.ts";
import { databases, openPostgresStore } from "./postgres-databases.ts";
import { startPooler } from "./postgres-pooler.ts";

let addressOf: (database: string) => string;
before(async () => {
  addressOf = await startPooler((await databases.server()).url("postgres"));
});

const openNew = async (): Promise<OpenedStore> => {
  const clock = createManualClock();
  const store = await openPostgresStore({ location: `${addressOf(await databases.create())}?prepare=false`, clock });
  return { store, clock, close: () => store.close() };
};
testResponses(openNew);
testClaims(openNew);
testConcurrentMoney(openNew);

test("a pooler gives each transaction another session; the message about named statements says what to do", async (t) => {
  const store = await openPostgresStore({ location: addressOf(await databases.create()), clock: createManualClock() });
  t.after(() => store.close());
  const list = () => Promise.all(Array.from({ length: 20 }, () => store.listTokens({ organizationId: null })));
  await assert.rejects(
    async () => {
      await list();
      await list();
    },
    (error) => error instanceof StoreError && error.message.includes("add prepare=false to the database address"),
  );
});

test("doctor finds that prepare=false is missing", async () => {
  const database = await databases.create();
  await assert.rejects(
    async () => postgresEngine.checks.store?.(addressOf(database)),
    /^StoreError: The database postgres:\/\/[^ ]+ cannot be opened: A pooler does not keep prepared statements; add prepare=false to the database address\.$/,
  );
  assert.match((await postgresEngine.checks.store?.(`${addressOf(database)}?prepare=false`)) ?? "", /writable/);
  const direct = (await databases.server()).url(database);
  assert.match((await postgresEngine.checks.store?.(direct)) ?? "", /writable/);
});

test("a schema is created behind a pooler, and nodes join, renew, share limits and leave", async (t) => {
  const server = await databases.server();
  const url = `${addressOf(await server.createDatabase())}?prepare=false`;
  const { store, nodes } = await openPostgres({ location: url, clock: createManualClock() });
  t.after(() => store.close());
  assert.ok(nodes !== null);
  await nodes.join({ name: "one", version: "0", rootCheck: "", leaseMs: 12_000 });
  assert.equal(await nodes.renew({ leaseMs: 12_000, isDraining: false }), true);
  assert.equal(await nodes.takeTask({ task: "housekeeping", leaseMs: 1000 }), true);
  assert.deepEqual(await nodes.listLeases(), []);
  await nodes.leave();
  assert.deepEqual(
    (await nodes.listNodes()).map(({ name }) => name),
    ["one"],
  );
});
