// The settings of the connections to PostgreSQL are those of its pools.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_CONNECTIONS } from "../../src/contract/connections.ts";
import { poolsOf, transactionTimeouts } from "../../src/store/postgres/database/pool.ts";
import { databases } from "../store/postgres-databases.ts";

test("a store opens no more connections than it may", async (t) => {
  const connections = { ...DEFAULT_CONNECTIONS, connections: 2, long_read_connections: 1 };
  const { store, database } = await databases.openFor(t, { connections });
  const many = <T>(ask: () => Promise<T>) => Promise.all(Array.from({ length: 20 }, ask));
  await Promise.all([
    many(() => store.listTokens({ organizationId: null })),
    many(() => store.reconcile({ organizationId: null })),
  ]);
  const server = await databases.server();
  const [row] = await server.query<{ count: number }>(
    "postgres",
    `select count(*)::integer as count from pg_stat_activity where datname = '${database}'`,
  );
  assert.equal(row?.count, 3);
});

test("long reads have a timeout of their own, and fractions of a second count", () => {
  const { requests, aside } = poolsOf({
    ...DEFAULT_CONNECTIONS,
    connect_timeout_seconds: 0.25,
    statement_timeout_seconds: 1.5,
    long_read_timeout_seconds: 90,
    lock_timeout_seconds: 0.5,
  });
  assert.deepEqual([requests.connectTimeoutMs, aside.connectTimeoutMs], [250, 250]);
  assert.match(
    transactionTimeouts(requests),
    /statement_timeout = 1500; set local lock_timeout = 500; .*_session_timeout = 3000$/,
  );
  assert.match(transactionTimeouts(aside), /statement_timeout = 90000; set local lock_timeout = 500;/);
});
