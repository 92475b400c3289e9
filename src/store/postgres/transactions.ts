// Runs the store's operations in transactions. An operation's rule (engine/transaction.ts) yields its statements; each
// is sent to the server, and the rule goes on with the result, or at once if there is none. An operation that PostgreSQL
// rolls back because of another transaction runs again from the start.
import { setTimeout as sleep } from "node:timers/promises";
import type { Pool, PoolClient } from "pg";
import { StoreError } from "../../ports/store/store.ts";
import type { Query, Steps, Transaction, TransactionSettings } from "../engine/transaction.ts";
import { endsConnection, isConnectionLoss, isRetried, toStoreError } from "./database/errors.ts";
import type { Execute } from "./database/execute.ts";
import { type PoolSettings, transactionTimeouts } from "./database/pool.ts";
import { writeSums } from "../money/sums.ts";

/** A transaction's rule: starts from the beginning each time it is called. */
export type Rule = (tx: Transaction) => Steps<unknown>;

export interface Transactions {
  /** Runs a rule that may change rows. Rejects with a StoreError or an AccountError; nothing is changed then. */
  write(rule: Rule): Promise<unknown>;
  /** Runs a rule that only reads, in one snapshot. */
  read(rule: Rule): Promise<unknown>;
  /**
   * Runs a rule that only reads, mostly with a single statement: such a statement needs no transaction. `name`
   * identifies the operation.
   */
  readPoint(name: string, rule: Rule): Promise<unknown>;
}

/** Most attempts at an operation that conflicts with other transactions. */
const ATTEMPTS_MAX = 6;
/** The first pause before another attempt is shorter than this, milliseconds; each later one may be twice as long. */
const PAUSE_MS = 4;

/** Creates the transactions of one pool. `checkOpen` runs before each statement and may throw. */
export function createTransactions(
  pool: Pool,
  execute: Execute,
  options: { settings: TransactionSettings; pool: PoolSettings; checkOpen: () => void },
): Transactions {
  const timeouts = transactionTimeouts(options.pool);
  const beginWrite = `begin isolation level read committed read write; ${timeouts}`;
  const beginRead = `begin isolation level repeatable read read only; ${timeouts}`;
  const newTransaction = (): Transaction => ({
    settings: options.settings,
    commitCache: null,
    buffers: [],
    execute: queryFor,
  });
  /** Operations of `readPoint` that have needed more than one statement. */
  const needTransaction = new Set<string>();

  const runOn = async (client: PoolClient, rule: Rule, begin: string, end: End): Promise<unknown> => {
    const sender = createSender(client, execute, begin);
    try {
      const result = await drive(withSums(rule, newTransaction()), (query) => {
        options.checkOpen();
        return sender.execute(query);
      });
      if (sender.hasBegun()) await end(client, sender.unanswered());
      client.release();
      return result;
    } catch (error) {
      if (error instanceof CommitUnknown || endsConnection(error)) client.release(true);
      else {
        // Not awaited: the connection's next command is sent behind it.
        if (sender.hasBegun()) client.query("rollback").catch(ignore);
        client.release();
      }
      throw error;
    }
  };
  const runPoint = async (client: PoolClient, name: string, rule: Rule): Promise<unknown> => {
    if (needTransaction.has(name)) return runOn(client, rule, beginRead, endRead);
    let statements = 0;
    try {
      const result = await drive(rule(newTransaction()), (query) => {
        if (++statements > 1) throw new NeedsTransaction();
        return execute(client, query);
      });
      client.release();
      return result;
    } catch (error) {
      if (error instanceof NeedsTransaction) {
        needTransaction.add(name);
        return runOn(client, rule, beginRead, endRead);
      }
      client.release(endsConnection(error));
      throw error;
    }
  };
  return {
    write: (rule) => attempt(pool, (client) => runOn(client, rule, beginWrite, commit)),
    read: (rule) => attempt(pool, (client) => runOn(client, rule, beginRead, endRead)),
    readPoint: (name, rule) => attempt(pool, (client) => runPoint(client, name, rule)),
  };
}

/** A rule, and then what it has buffered. */
function* withSums(rule: Rule, tx: Transaction): Steps<unknown> {
  const result = yield* rule(tx);
  yield* writeSums(tx);
  return result;
}

/** Yields a statement to the function that drives the rule, and returns the result that it passes back. */
function* queryFor(statement: Query["statement"], parameters: Query["parameters"]): Generator<Query, unknown, unknown> {
  return yield { statement, parameters };
}

/** Runs steps to their end, waiting for each query. An error of a query ends them. */
async function drive<Result>(steps: Steps<Result>, execute: (query: Query) => Promise<unknown>): Promise<Result> {
  const iterator = steps[Symbol.iterator]();
  let step = iterator.next();
  while (step.done !== true) {
    let result: unknown;
    try {
      // oxlint-disable-next-line no-await-in-loop -- each statement may depend on the result of the one before
      result = await execute(step.value);
    } catch (error) {
      iterator.return?.();
      throw error;
    }
    step = iterator.next(result);
  }
  return step.value;
}

/** Statements that are sent before the first of them has to be answered. */
const UNANSWERED_MAX = 256;

/**
 * Sends the statements of one transaction in their order, its BEGIN before the first. A statement without a result is
 * not waited for: the ones behind it fail with it, and its error comes before theirs.
 */
function createSender(client: PoolClient, execute: Execute, begin: string) {
  let isBegun = false;
  let unanswered: Promise<unknown>[] = [];
  const leave = (answer: Promise<unknown>): void => {
    // The error is thrown where the answers are awaited; until then it must not count as unhandled.
    answer.catch(ignore);
    unanswered.push(answer);
  };
  return {
    hasBegun: () => isBegun,
    unanswered: () => unanswered,
    async execute(query: Query): Promise<unknown> {
      if (!isBegun) {
        isBegun = true;
        leave(client.query(begin));
      }
      const answer = execute(client, query);
      const { kind } = query.statement;
      if ((kind === "write" || kind === "lock") && unanswered.length < UNANSWERED_MAX) {
        leave(answer);
        return undefined;
      }
      const before = unanswered;
      unanswered = [];
      await Promise.all([...before, answer]);
      return answer;
    },
  };
}

/** Ends a transaction whose rule has succeeded, with the statements that have not been answered yet. */
type End = (client: PoolClient, unanswered: readonly Promise<unknown>[]) => Promise<void>;

/** Sent behind the last statements: if one of them fails, PostgreSQL rolls back instead. */
async function commit(client: PoolClient, unanswered: readonly Promise<unknown>[]): Promise<void> {
  const committed = client.query("commit");
  try {
    await Promise.all([...unanswered, committed]);
  } catch (error) {
    committed.catch(ignore);
    throw endsConnection(error) ? new CommitUnknown(error) : error;
  }
}

/** Not awaited: nothing was changed, and the connection's next command is sent behind it. */
async function endRead(client: PoolClient): Promise<void> {
  client.query("commit").catch(ignore);
}

/** A point read turned out to need several statements, and so a snapshot. */
class NeedsTransaction extends Error {}

/** The connection was lost between COMMIT and its answer: whether the transaction is committed is unknown. */
class CommitUnknown extends StoreError {
  constructor(cause: unknown) {
    super("unavailable", "The connection to PostgreSQL was lost during a commit.", { cause });
  }
}

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
