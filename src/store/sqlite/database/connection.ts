// A connection to the database file, configured the same way in every thread of the store, and how it executes the
// store's statements.
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from "node:sqlite";
import { StoreError } from "../../../ports/store/store.ts";
import { compileRecord } from "../../engine/packing.ts";
import { PARAMETER } from "../../engine/statement.ts";
import { finished, type Parameters, type Statement, type Steps } from "../../engine/transaction.ts";
import type { Transaction, TransactionSettings } from "../../engine/transaction.ts";

/** The first SQLite version without a bug that could corrupt a WAL database when two connections checkpoint at once. */
const SQLITE_VERSION_MIN = [3, 51, 3] as const;

/** How long a statement waits for another process's lock, milliseconds. */
export const BUSY_TIMEOUT_MS = 5000;

/** Page cache of a connection, KiB; allocated as it is used. */
const CACHE_KIB = 16 * 1024;

/** Settings that the threads of one process share. */
export interface ConnectionSettings extends TransactionSettings {
  readonly path: string;
}

/** An open connection; it belongs to one thread. It has one transaction at a time. */
export interface Connection extends Transaction {
  readonly database: DatabaseSync;
  readonly settings: ConnectionSettings;
}

/**
 * Opens the file; a writer creates it. Commits are durable when they return, and deleted content is overwritten.
 * Checkpoints never run inside a commit (workers/checkpoint.ts runs them). Journal mode and schema belong to the file
 * and are set by migrate.ts. Throws a StoreError when SQLite is too old.
 */
export function openConnection(settings: ConnectionSettings, mode: "write" | "read"): Connection {
  const database = new DatabaseSync(settings.path, {
    readOnly: mode === "read",
    timeout: BUSY_TIMEOUT_MS,
    enableForeignKeyConstraints: true,
  });
  assertSqliteVersion(database);
  if (mode === "write") {
    database.exec("pragma synchronous = full");
    database.exec("pragma secure_delete = on");
    database.exec("pragma wal_autocheckpoint = 0");
  }
  database.exec(`pragma cache_size = -${CACHE_KIB}`);
  // Sorts and statement journals stay in memory: no content reaches a temporary file.
  database.exec("pragma temp_store = memory");
  return {
    database,
    settings,
    commitCache: null,
    buffers: mode === "write" ? [] : null,
    execute: createExecute(database),
  };
}

function assertSqliteVersion(database: DatabaseSync): void {
  const version = String(database.prepare("select sqlite_version() as version").get()?.["version"]);
  const parts = version.split(".").map(Number);
  for (const [index, minimum] of SQLITE_VERSION_MIN.entries()) {
    const part = parts[index] ?? 0;
    if (part > minimum) return;
    if (part < minimum) {
      const needed = SQLITE_VERSION_MIN.join(".");
      throw new StoreError("failed", `This Node has SQLite ${version}; the store needs ${needed} or later.`);
    }
  }
}

type Execute = (parameters: Parameters) => unknown;
type Values = readonly SQLOutputValue[];

/** Creates the function that executes statements on a database, at once. Each is prepared once. */
export function createExecute(database: DatabaseSync): Transaction["execute"] {
  const prepared: (Execute | undefined)[] = [];
  return (statement, parameters): Steps<unknown> =>
    finished((prepared[statement.slot] ??= prepare(database, statement))(parameters));
}

/** The text that SQLite prepares, and the names of its parameters in the order of their places. */
export function toPositional(sql: string): { readonly text: string; readonly names: readonly string[] } {
  const names: string[] = [];
  // Bound by position: SQLite would look up each name on every call. A name may occur more than once.
  const text = sql.replace(PARAMETER, (_, name: string) => {
    names.push(name);
    return "?";
  });
  return { text, names };
}

function prepare(database: DatabaseSync, { kind, sql }: Statement): Execute {
  // This engine has a single writer: no other transaction changes a row meanwhile.
  if (kind === "lock") return () => undefined;
  const { text, names } = toPositional(sql);
  const statement = database.prepare(text);
  statement.setReturnArrays(true);
  const toValues = (parameters: Parameters) => names.map((name) => parameters[name] as SQLInputValue);
  switch (kind) {
    case "one": {
      const toRow = compileRow(statement);
      return (parameters) => {
        const values = statement.get(...toValues(parameters)) as Values | undefined;
        return values === undefined ? undefined : toRow(values);
      };
    }
    case "many": {
      const toRow = compileRow(statement);
      return (parameters) => (statement.all(...toValues(parameters)) as unknown as Values[]).map(toRow);
    }
    default: {
      return (parameters) => {
        const { changes, lastInsertRowid } = statement.run(...toValues(parameters));
        return { changes: Number(changes), id: changes === 0 ? 0 : Number(lastInsertRowid) };
      };
    }
  }
}

/**
 * Generates the code that builds a row from a statement's values. Node's own rows are dictionaries, which are slow to
 * create and to read.
 */
function compileRow(statement: StatementSync): (values: Values) => object {
  return compileRecord(statement.columns().map(({ name }) => name));
}
