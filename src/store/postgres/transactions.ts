// Runs calls of the store's procedures in transactions. A procedure (engine/transaction.ts) yields its statements; each
// is sent to the server, and the procedure goes on with the result, or at once if there is none. A call that PostgreSQL
// rolls back because of another transaction runs again from the start.
import { setTimeout as sleep } from "node:timers/promises";
import type { Pool, PoolClient } from "pg";
import { UnconfirmedWrite } from "../../ports/store/store.ts";
import type { Steps, Transaction, TransactionSettings } from "../engine/transaction.ts";
import { CommitUnanswered, confirmCommit, SELECT_NUMBER } from "./database/commit-outcome.ts";
import { endsConnection, isConnectionLoss, isRetried, toStoreError } from "./database/errors.ts";
import type { Execute } from "./database/execute.ts";
import type { Merge } from "./database/merge.ts";
import { type PoolSettings, transactionTimeouts } from "./database/pool.ts";
import { writeSums } from "../money/sums.ts";
import { createBatch } from "./batch.ts";
import { createGroups, shareConnection } from "./group.ts";
import { createPointReads } from "./point-reads.ts";
import { createSender, drive, queryFor, type Sender } from "./sender.ts";

/** A call of a procedure with its argument; it starts from the beginning in each transaction. */
export type Call = (tx: Transaction) => Steps<unknown>;

/** The most attempts at a call that conflicts with other transactions. */
const ATTEMPTS_MAX = 6;
/** The first pause before another attempt is shorter than this, milliseconds; each later one may be twice as long. */
const PAUSE_MS = 4;

/** How long a shared transaction waits for a lock, milliseconds: one call that waits holds up the others. */
const SHARED_LOCK_TIMEOUT_MS = 250;

/** Creates the transactions of one pool. `checkOpen` runs before each statement and may throw. */
export function createTransactions(
  pool: Pool,
  execute: Execute,
  options: { settings: TransactionSettings; pool: PoolSettings; merge: Merge; checkOpen: () => void },
) {
  const { merge } = options;
  const timeouts = transactionTimeouts(options.pool);
  const writing = `begin isolation level read committed read write; ${timeouts}`;
  const beginWrite = `${writing}; ${SELECT_NUMBER}`;
  const beginTogether = `${writing}; set local lock_timeout = ${SHARED_LOCK_TIMEOUT_MS}; ${SELECT_NUMBER}`;
  const beginRead = `begin isolation level repeatable read read only; ${timeouts}`;
  const newTransaction = (): Transaction => ({
    settings: options.settings,
    commitCache: null,
    buffers: [],
    execute: queryFor,
  });

  const runOn = async (client: PoolClient, call: Call, begin: string, end: End): Promise<unknown> => {
    const sender = createSender(client, execute, begin);
    let result: unknown;
    try {
      result = await drive(withSums(call, newTransaction()), (query) => {
        options.checkOpen();
        return sender.execute(query);
      });
      await end(client, sender);
    } catch (error) {
      dropTransaction(client, sender.hasBegun(), error);
      if (!(error instanceof CommitUnanswered)) throw error;
      await confirmCommit(pool, error);
      return result;
    }
    client.release();
    return result;
  };
  const readSnapshot = (call: Call) => attempt(pool, (client) => runOn(client, call, beginRead, endRead));
  const runTogether = async (calls: readonly Call[]): Promise<readonly unknown[] | null> => {
    const client = await pool.connect().catch(rethrow);
    const sender = createSender(client, execute, beginTogether);
    let hasFailed = false;
    const batch = createBatch({
      canMerge: merge.canMerge,
      sendOne(query) {
        // The others wait for a reply that never comes: the transaction is over.
        if (hasFailed) return NEVER;
        options.checkOpen();
        return sender.execute(query);
      },
      async sendMerged(statement, parameters) {
        if (hasFailed) return NEVER;
        options.checkOpen();
        return (await sender.send(statement.kind, () => merge.execute(client, statement, parameters))) ?? [];
      },
    });
    const shared = shareConnection(calls.length, batch);
    const tx = newTransaction();
    let results: readonly unknown[] = [];
    try {
      results = await Promise.all(
        calls.map(async (call, member) => {
          const result = await drive(call(tx), (query) => shared.execute(member, query));
          shared.finish(member);
          return result;
        }),
      );
      batch.flush();
      await drive(writeSums(tx), (query) => sender.execute(query));
      await sender.commit();
    } catch (error) {
      hasFailed = true;
      dropTransaction(client, sender.hasBegun(), error);
      if (!(error instanceof CommitUnanswered)) return null;
      const outcome = await confirmCommit(pool, error).catch((reason: unknown) => reason);
      if (outcome instanceof UnconfirmedWrite) throw outcome;
      return outcome === undefined ? results : null;
    }
    client.release();
    return results;
  };
  const write = (call: Call) => attempt(pool, (client) => runOn(client, call, beginWrite, endWrite));
  const waitMaxMs = options.pool.connectTimeoutMs;
  const readPoint = createPointReads({
    pool,
    execute,
    merge,
    waitMaxMs,
    attempt: (work) => attempt(pool, work),
    readSnapshot,
  });
  return {
    /** Runs a call that may change rows. Rejects with a StoreError or an AccountError; nothing is changed then. */
    write,
    /** The same, in a transaction that concurrent calls may share. */
    writeTogether: createGroups(runTogether, write, waitMaxMs),
    /** Runs a call that only reads, in one snapshot. */
    read: readSnapshot,
    /**
     * Runs a call that only reads, mostly with a single statement: such a statement needs no transaction, and concurrent
     * calls share it. `name` is the procedure's.
     */
    readPoint: (name: string, call: Call) => readPoint({ name, start: () => call(newTransaction()) }),
  };
}

/** Rolls a failed transaction back and releases its connection. */
function dropTransaction(client: PoolClient, hasBegun: boolean, error: unknown): void {
  if (error instanceof CommitUnanswered || endsConnection(error)) return client.release(true);
  if (!hasBegun) return client.release();
  // Everything that was sent before has a reply then: the driver knows which statements the connection has prepared.
  client.query("rollback").then(
    () => client.release(),
    () => client.release(true),
  );
}

const NEVER = new Promise<never>(() => {});

/** The steps of a call, and then the writes of what it has buffered. */
function* withSums(call: Call, tx: Transaction): Steps<unknown> {
  const result = yield* call(tx);
  yield* writeSums(tx);
  return result;
}

/** Ends a transaction whose calls have succeeded. */
type End = (client: PoolClient, sender: Sender) => Promise<void>;

const endWrite: End = (_, sender) => sender.commit();

/** Not awaited: nothing was changed, and the connection's next command is sent behind it. */
const endRead: End = async (client, sender) => {
  if (sender.hasBegun()) client.query("commit").catch(ignore);
};

/** Runs work on a connection of the pool, again if other transactions or a lost connection prevented it. */
async function attempt(pool: Pool, run: (client: PoolClient) => Promise<unknown>): Promise<unknown> {
  let hasReconnected = false;
  for (let attempts = 1; ; attempts++) {
    // oxlint-disable-next-line no-await-in-loop -- attempts follow each other
    const client = await pool.connect().catch(rethrow);
    try {
      // oxlint-disable-next-line no-await-in-loop -- as above
      return await run(client);
    } catch (error) {
      const isLost: boolean = !hasReconnected && isConnectionLoss(error);
      if (attempts === ATTEMPTS_MAX || !(isLost || isRetried(error))) return rethrow(error);
      hasReconnected ||= isLost;
      // oxlint-disable-next-line no-await-in-loop -- as above
      await sleep(Math.random() * PAUSE_MS * 2 ** (attempts - 1));
    }
  }
}

function rethrow(error: unknown): never {
  throw toStoreError(error);
}

function ignore(): void {}
