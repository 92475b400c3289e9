// Brings a database file to the schema of this version: numbered SQL files, each run once, all under one lock.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { StoreError } from "../../../ports/store.ts";
import type { Connection } from "./connection.ts";
import { isDamage } from "./errors.ts";
import { schemaVersionOf } from "./schema-version.ts";

/** Written into the file by the first migration. */
const APPLICATION_ID = 1416983150;

/** A file up to this size is checked page by page when it is opened; a larger one shows its damage when it is read. */
const CHECKED_BYTES_MAX = 64 * 1024 * 1024;

interface Migration {
  readonly version: number;
  readonly name: string;
}

/**
 * Puts the file into WAL mode and runs the migrations that it has not seen. Throws a StoreError (`failed`), with a message for the
 * operator, for a file that is no database, is damaged, belongs to another application or was written by a later version.
 */
export function migrate(connection: Connection, nowMs: number): void {
  const { path } = connection.settings;
  try {
    refuseDamage(connection);
    refuseForeign(connection);
    useWal(connection);
    runMissing(connection, nowMs);
  } catch (error) {
    throw explainDamage(error, path);
  }
}

/** Turns SQLite's words for a damaged or foreign file into ours; other errors pass as they are. */
export function explainDamage(error: unknown, path: string): unknown {
  if (!isDamage(error)) return error;
  return damaged(path, error instanceof Error ? error.message : "unreadable", error);
}

function runMissing(connection: Connection, nowMs: number): void {
  const { database } = connection;
  // Usually there is nothing to do: the command line then takes no lock from a server that is running.
  if (listMissing(connection).length === 0) return;
  // Two processes that start together: the second waits here and finds the work done.
  database.exec("begin immediate");
  try {
    database.exec(`
      create table if not exists schema_version (
        version       integer primary key,
        name          text    not null,
        applied_at_ms integer not null
      ) strict`);
    for (const migration of listMissing(connection)) {
      database.exec(readFileSync(new URL(migration.name, MIGRATIONS), "utf8"));
      database.prepare("insert into schema_version values (?, ?, ?)").run(migration.version, migration.name, nowMs);
    }
    database.exec("commit");
  } catch (error) {
    if (database.isTransaction) database.exec("rollback");
    throw error;
  }
}

const MIGRATIONS = new URL("../migrations/", import.meta.url);

/** The migrations that the file has not seen; throws for a file that has seen more than there are. */
function listMissing({ database, settings }: Connection): Migration[] {
  const current = schemaVersionOf(database);
  const known = listMigrations();
  const newest = known.at(-1)?.version ?? 0;
  if (current <= newest) return known.filter(({ version }) => version > current);
  throw new StoreError(
    "failed",
    `${settings.path} was written by a later version (schema ${current}; this version knows ${newest}). Run that version, or restore a backup from before the upgrade.`,
  );
}

function listMigrations(): Migration[] {
  const names = readdirSync(MIGRATIONS).filter((name) => name.endsWith(".sql"));
  return names.sort().map((name) => ({ version: Number.parseInt(name, 10), name }));
}

function refuseForeign({ database, settings }: Connection): void {
  // One statement: another process may be migrating a new file at this moment.
  const row = database.prepare(`
    select application_id                         as application,
           (select count(*) from sqlite_schema) as tables
      from pragma_application_id`);
  const { application, tables } = row.get() ?? {};
  if (application === APPLICATION_ID || (application === 0 && tables === 0)) return;
  throw new StoreError("failed", `${settings.path} is another application's database; name another path.`);
}

function useWal({ database, settings }: Connection): void {
  const mode = String(database.prepare("pragma journal_mode = wal").get()?.["journal_mode"]);
  if (mode === "wal") return;
  const message = `${settings.path} stands on a file system without shared memory (journal mode ${mode}); use a local disk.`;
  throw new StoreError("failed", message);
}

function refuseDamage({ database, settings }: Connection): void {
  if (statSync(settings.path).size > CHECKED_BYTES_MAX) return;
  const verdict = String(database.prepare("pragma quick_check(1)").get()?.["quick_check"]);
  if (verdict !== "ok") throw damaged(settings.path, verdict);
}

function damaged(path: string, detail: string, cause?: unknown): StoreError {
  const message = `${path} is damaged or not a database (${detail}); restore a backup or name another path.`;
  return new StoreError("failed", message, cause === undefined ? undefined : { cause });
}
