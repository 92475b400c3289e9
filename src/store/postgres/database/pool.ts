// Connections to PostgreSQL, and their timeouts.
import pg from "pg";
import type { ConnectionSettings } from "../../../contract/connections.ts";
import { noteServerRun } from "./commit-outcome.ts";
import type { PostgresTarget } from "./url.ts";
import { RESULT_TYPES } from "./execute.ts";

/** To make a single connection, milliseconds. */
const CONNECT_TIMEOUT_MS = 2000;
/**
 * The server ends a transaction that is not continued, milliseconds: its process stands still or was cut off, and
 * everybody else waits for its locks. A transaction of a process that only woke late runs again.
 */
export const IDLE_TRANSACTION_MS = 3000;
/** How much longer than the server's own timeout the client waits for a reply, milliseconds. */
const ANSWER_GRACE_MS = 2000;

export interface PoolSettings {
  readonly connectionsMax: number;
  /** To connect, or to wait for a free connection, milliseconds. */
  readonly connectTimeoutMs: number;
  /** The server ends a statement after this time, milliseconds. */
  readonly statementTimeoutMs: number;
  /** The server ends a statement that waits this long for another transaction, milliseconds. */
  readonly lockTimeoutMs: number;
  /** The server ends a transaction that is not continued for this long, milliseconds. */
  readonly idleTransactionMs: number;
}

/** The pools of a node: for requests, and for long reads. */
export function poolsOf(settings: ConnectionSettings): {
  readonly requests: PoolSettings;
  readonly aside: PoolSettings;
} {
  const inMs = (seconds: number) => Math.ceil(seconds * 1000);
  const connectTimeoutMs = inMs(settings.connect_timeout_seconds);
  const lockTimeoutMs = inMs(settings.lock_timeout_seconds);
  return {
    requests: {
      connectionsMax: settings.connections,
      connectTimeoutMs,
      statementTimeoutMs: inMs(settings.statement_timeout_seconds),
      lockTimeoutMs,
      idleTransactionMs: IDLE_TRANSACTION_MS,
    },
    aside: {
      connectionsMax: settings.long_read_connections,
      connectTimeoutMs,
      statementTimeoutMs: inMs(settings.long_read_timeout_seconds),
      lockTimeoutMs,
      idleTransactionMs: IDLE_TRANSACTION_MS,
    },
  };
}

/**
 * Commands that set the timeouts of the open transaction. They are set in each transaction, because a pooler may give
 * the session to another client afterwards.
 */
export function transactionTimeouts(settings: PoolSettings): string {
  const { statementTimeoutMs, lockTimeoutMs, idleTransactionMs } = settings;
  return [
    `set local statement_timeout = ${statementTimeoutMs}`,
    `set local lock_timeout = ${lockTimeoutMs}`,
    `set local idle_in_transaction_session_timeout = ${idleTransactionMs}`,
  ].join("; ");
}

/** Creates a pool without connecting. */
export function createPool({ connection }: PostgresTarget, settings: PoolSettings): pg.Pool {
  const pool = new pg.Pool({
    ...connection,
    types: RESULT_TYPES,
    max: settings.connectionsMax,
    connectionTimeoutMillis: settings.connectTimeoutMs,
    // Where the network drops packets silently, only this ends the wait.
    query_timeout: settings.statementTimeoutMs + ANSWER_GRACE_MS,
    keepAlive: true,
    // The first statement of a transaction is sent together with its BEGIN.
    pipeline: true,
  });
  // The pool drops a connection that fails; a call that uses it gets the error from its own query.
  pool.on("error", ignore);
  pool.on("connect", (client) => {
    client.on("error", ignore);
    noteServerRun(client);
  });
  return pool;
}

/** Opens a single connection outside the pools. Rejects with the driver's error. */
export async function connectOnce({ connection }: PostgresTarget): Promise<pg.Client> {
  const client = new pg.Client({
    ...connection,
    types: RESULT_TYPES,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  });
  client.on("error", ignore);
  await client.connect();
  return client;
}

function ignore(): void {}
