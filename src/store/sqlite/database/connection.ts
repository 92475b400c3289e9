// A connection to the database file, set up the way every thread of the store wants it.
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { StoreError } from "../../../ports/store.ts";

/** The first version without a bug that could corrupt a database in WAL mode when two connections checkpoint at once. */
const SQLITE_VERSION_MIN = [3, 51, 3] as const;

/** How long a statement waits for another process's lock, milliseconds. */
export const BUSY_TIMEOUT_MS = 5000;

/** Pages kept in memory by each connection, KiB; taken only as they are used. */
const CACHE_KIB = 16 * 1024;

/** What one process's threads share. */
export interface ConnectionSettings {
  readonly path: string;
  /** Tells this process's turns from those of one that died. */
  readonly owner: number;
  /** How long an idempotency key is kept, milliseconds. */
  readonly idempotencyRetentionMs: number;
}

/** An open connection; belongs to one thread. */
export interface Connection {
  readonly database: DatabaseSync;
  readonly settings: ConnectionSettings;
  /** Prepared statements by their slot (statement.ts). */
  readonly statements: (StatementSync | undefined)[];
  /** What was read and is true until anybody commits, by its slot (kept.ts); null where nobody notices commits. */
  readonly kept: Map<string, unknown>[] | null;
}

/**
 * Opens the file, creating it for a writer. Durable: a commit is on disk when it returns. Deleted content is overwritten.
 * Checkpoints never run inside a commit (checkpoint.ts has them). What belongs to the file, its journal mode and schema, is
 * migrate.ts's. Throws a StoreError for a SQLite that is too old.
 */
export function openConnection(settings: ConnectionSettings, mode: "write" | "read"): Connection {
  const database = new DatabaseSync(settings.path, {
    readOnly: mode === "read",
    timeout: BUSY_TIMEOUT_MS,
    enableForeignKeyConstraints: true,
  });
  refuseOldSqlite(database);
  if (mode === "write") {
    database.exec("pragma synchronous = full");
    database.exec("pragma secure_delete = on");
    database.exec("pragma wal_autocheckpoint = 0");
  }
  database.exec(`pragma cache_size = -${CACHE_KIB}`);
  // Sorting and statement journals stay in memory: no content reaches a temporary file.
  database.exec("pragma temp_store = memory");
  return { database, settings, statements: [], kept: null };
}

function refuseOldSqlite(database: DatabaseSync): void {
  const version = String(database.prepare("select sqlite_version() as version").get()?.["version"]);
  const parts = version.split(".").map(Number);
  for (const [index, minimum] of SQLITE_VERSION_MIN.entries()) {
    const part = parts[index] ?? 0;
    if (part > minimum) return;
    if (part < minimum) {
      const needed = SQLITE_VERSION_MIN.join(".");
      throw new StoreError("failed", `This Node carries SQLite ${version}; the store needs ${needed} or later.`);
    }
  }
}
