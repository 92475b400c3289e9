// A small database whose rows are notes, for tests of the transactions on PostgreSQL.
import type { TestContext } from "node:test";
import { DEFAULT_CONNECTIONS } from "../../src/contract/connections.ts";
import { change } from "../../src/store/engine/statement.ts";
import { finished, type Steps } from "../../src/store/engine/transaction.ts";
import { createExecute } from "../../src/store/postgres/database/execute.ts";
import { createPool, poolsOf } from "../../src/store/postgres/database/pool.ts";
import { createMerge } from "../../src/store/postgres/database/merge.ts";
import { createTranslate } from "../../src/store/postgres/database/translate.ts";
import { parsePostgresUrl } from "../../src/store/postgres/database/url.ts";
import { createTransactions, type Call } from "../../src/store/postgres/transactions.ts";
import { databases } from "./postgres-databases.ts";
import { startPostgresProxy } from "./postgres-proxy.ts";
import type { PostgresServer } from "./postgres-server.ts";

const addNote = change<{ text: string }>("insert into notes (text) values (:text)");

interface NotesOptions {
  readonly connectionsMax?: number;
  readonly behindProxy?: boolean;
  readonly statementTimeoutMs?: number;
  readonly idleTransactionMs?: number;
  /** Instead of the shared one. */
  readonly server?: PostgresServer;
}

/** Opens it with two notes, which `count` leaves out. */
export async function openNotes(t: TestContext, options: NotesOptions = {}) {
  const { connectionsMax = 3, behindProxy = false, statementTimeoutMs = 5000, idleTransactionMs = 3000 } = options;
  const server = options.server ?? (await databases.server());
  const database = await server.createDatabase();
  await server.query(
    database,
    `create schema notebook;
     create table notebook.notes (id bigint generated always as identity, text text not null);
     insert into notebook.notes (text) values ('one'), ('two');
     create function public.raise(code text) returns void language plpgsql as
       $$ begin raise exception 'raised' using errcode = code; end $$`,
  );
  const proxy = behindProxy ? await startPostgresProxy(t, server.url(database)) : null;
  const target = parsePostgresUrl(`${proxy?.url ?? server.url(database)}?schema=notebook`);
  const settings = { ...poolsOf(DEFAULT_CONNECTIONS).requests, connectionsMax, statementTimeoutMs, idleTransactionMs };
  const pool = createPool(target, settings);
  t.after(() => pool.end());
  const translate = createTranslate("notebook", ["notes"]);
  const transactions = createTransactions(pool, createExecute(translate, true), {
    settings: { instanceId: 1, idempotencyRetentionMs: 1, usageParts: 1 },
    pool: settings,
    merge: createMerge(translate, pool, true),
    checkOpen: () => {},
  });
  const count = async () =>
    Number((await server.query<{ count: string }>(database, "select count(*) from notebook.notes"))[0]?.count) - 2;
  return { ...transactions, pool, proxy: proxy!, server, database, count };
}

export type Notes = Awaited<ReturnType<typeof openNotes>>;

/** A call that adds a note and then runs the steps of an attempt, by its number from 1. */
export function noting(attempt: (tx: Parameters<Call>[0], attempts: number) => Steps<unknown>): Call {
  let attempts = 0;
  return function* (tx) {
    attempts++;
    yield* addNote(tx, { text: `attempt ${attempts}` });
    yield* attempt(tx, attempts);
    return attempts;
  };
}

/** No steps. */
export const NOTHING = finished(undefined);
