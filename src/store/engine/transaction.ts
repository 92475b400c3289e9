// A transaction as the store's procedures see it. They are written once, for every engine: a procedure is a generator
// function that waits for each statement with `yield*`. The embedded engine executes the statement at once, and the
// procedure runs through without a pause; an engine behind a network sends it and resumes the procedure with its result.

/** A value that a statement binds. */
export type SqlValue = string | number | bigint | null;

/** A statement's parameters by the names in its text (`:name`). */
export type Parameters = Readonly<Record<string, SqlValue>>;

/**
 * What executing a statement results in. `one`: its row or undefined; `many`: its rows; `change`: a Change; `insert`:
 * an Inserted; `write` and `lock`: nothing, so that an engine behind a network need not wait for them.
 */
export type StatementKind = "one" | "many" | "change" | "insert" | "write" | "lock";

/** A statement of the store, the same object for every execution. */
export interface Statement {
  readonly kind: StatementKind;
  /** Counts from 0 over all statements: engines keep what they prepare in arrays. */
  readonly slot: number;
  readonly sql: string;
  /**
   * Of a lock: the row that it locks is buffered (buffer.ts), so calls that share a transaction hold it together.
   */
  readonly isBuffered: boolean;
}

/** A statement that waits to be executed, with its parameters. */
export interface Query {
  readonly statement: Statement;
  readonly parameters: Parameters;
}

/** Work in a transaction, statement by statement; `yield*` waits for its result. */
export type Steps<Result> = Iterable<Query, Result, unknown>;

/** Settings of the process that works on the database. */
export interface TransactionSettings {
  /** A random number of this process. It is the `owner` of what it runs: so the responses of a process that died are known. */
  readonly instanceId: number;
  /** How long an idempotency key is kept, milliseconds. */
  readonly idempotencyRetentionMs: number;
  /** Rows among which each row of usage is divided, so that commits at the same time rarely wait for one another. */
  readonly usageParts: number;
}

/** The open transaction that a procedure works in. */
export interface Transaction {
  readonly settings: TransactionSettings;
  /**
   * Rows by slot (read-cache.ts) that are valid until the next commit; null where the engine does not watch for
   * commits.
   */
  readonly commitCache: Map<string, unknown>[] | null;
  /** Rows by slot (buffer.ts) that are written before the commit; null on a connection that cannot write. */
  readonly buffers: Map<string, unknown>[] | null;
  /** Executes a statement. The result depends on its kind. */
  execute(statement: Statement, parameters: Parameters): Steps<unknown>;
}

/** A result that needs no waiting: it is its own iterator and its own last result. */
class Finished<Result> implements Iterable<never, Result>, Iterator<never, Result>, IteratorReturnResult<Result> {
  readonly done = true;
  readonly value: Result;

  constructor(value: Result) {
    this.value = value;
  }

  [Symbol.iterator](): this {
    return this;
  }

  next(): this {
    return this;
  }
}

/** Steps that are finished, with their result. */
export function finished<Result>(value: Result): Steps<Result> {
  return new Finished(value);
}

/** Runs steps none of which waits, as in an engine that executes statements at once. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  const { done, value } = steps[Symbol.iterator]().next();
  if (done !== true) throw new Error(`A statement has not been executed at once: ${value.statement.sql}`);
  return value;
}
