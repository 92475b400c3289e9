// Migrates a database file to this version's schema: each migration runs once, all under one lock.
import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { installation } from "../../../installation/installation.ts";
import { StoreError } from "../../../ports/store/store.ts";
import type { Connection } from "./connection.ts";
import { isDamage } from "./errors.ts";
import {
  type AppliedMigration,
  checkApplied,
  type Migration,
  planOf,
  readMigrations,
} from "../../engine/migrations.ts";

/** An open file. */
interface Opened {
  readonly database: DatabaseSync;
  readonly settings: { readonly path: string };
}

/** Set by the first migration. */
export const APPLICATION_ID = 1416983150;

/** Files up to this size are checked page by page on opening; damage in a larger one shows when it is read. */
const CHECKED_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Enables WAL mode and runs the missing migrations. Throws a StoreError (`failed`), with a message for the operator,
 * when the file is no database, is damaged, belongs to another application, was written by a later version, or has run
 * a migration that was changed since.
 */
export function migrate(connection: Connection, nowMs: number): void {
  const { path } = connection.settings;
  try {
    assertIntact(connection);
    assertNotForeign(connection);
    enableWal(connection);
    applyMissing(connection, nowMs);
  } catch (error) {
    throw wrapDamageError(error, path);
  }
}

/** Replaces SQLite's error for a damaged or foreign file by ours; other errors are returned unchanged. */
export function wrapDamageError(error: unknown, path: string): unknown {
  if (!isDamage(error)) return error;
  return damaged(path, error instanceof Error ? error.message : "unreadable", error);
}

function applyMissing({ database, settings }: Connection, nowMs: number): void {
  const known = listMigrations();
  const check = () => {
    const seen = listApplied(database);
    checkApplied(settings.path, seen, known);
    return seen;
  };
  // Usually there is nothing to do: the command line then takes no lock from a running server.
  const before = check();
  const isComplete = before.every(({ checksum }) => checksum !== null) && hasColumn(database, "compatible");
  if (isComplete && planOf(before, known).missing.length === 0) return;
  // When two processes start together, the second waits here and finds the migrations done.
  database.exec("begin immediate");
  try {
    database.exec(`
      create table if not exists schema_version (
        version       integer primary key,
        name          text    not null,
        applied_at_ms integer not null,
        checksum      text
      ) strict`);
    const seen = check();
    adoptChecksums(database, known);
    if (!hasColumn(database, "compatible"))
      database.exec(
        "alter table schema_version add column compatible integer not null default 0 check (compatible in (0, 1))",
      );
    for (const { version, name, sql, checksum, compatible } of planOf(seen, known).missing) {
      database.exec(sql);
      database
        .prepare(
          "insert into schema_version (version, name, applied_at_ms, checksum, compatible) values (?, ?, ?, ?, ?)",
        )
        .run(version, name, nowMs, checksum, compatible ? 1 : 0);
    }
    database.exec("commit");
  } catch (error) {
    if (database.isTransaction) database.exec("rollback");
    throw error;
  }
}

/** A database from before there were checksums is assumed to have run the migrations as they are now. */
function adoptChecksums(database: DatabaseSync, known: readonly Migration[]): void {
  if (!hasColumn(database, "checksum")) database.exec("alter table schema_version add column checksum text");
  const adopt = database.prepare("update schema_version set checksum = ? where version = ? and checksum is null");
  for (const { version, checksum } of known) adopt.run(checksum, version);
}

/** This version's migrations, oldest first. */
export function listMigrations(): readonly Migration[] {
  return readMigrations(installation.migrations.sqlite);
}

/** The migrations that a database has run, oldest first. */
export function listApplied(database: DatabaseSync): readonly AppliedMigration[] {
  const columns = database.prepare("select name from pragma_table_info('schema_version')").all();
  if (columns.length === 0) return [];
  const checksum = hasColumn(database, "checksum") ? "checksum" : "null as checksum";
  const compatible = hasColumn(database, "compatible") ? "compatible" : "0 as compatible";
  const rows = database
    .prepare(`select version, name, ${checksum}, ${compatible} from schema_version order by version`)
    .all();
  return rows.map((row) => ({
    version: Number(row["version"]),
    name: String(row["name"]),
    checksum: row["checksum"] === null ? null : String(row["checksum"]),
    compatible: row["compatible"] === 1,
  }));
}

/** Whether `schema_version` has a column, which older databases lack. */
function hasColumn(database: DatabaseSync, column: "checksum" | "compatible"): boolean {
  const row = database.prepare("select 1 from pragma_table_info('schema_version') where name = ?").get(column);
  return row !== undefined;
}

/** Throws a StoreError (`failed`) when a file is a database of another application. */
export function assertNotForeign({ database, settings }: Opened): void {
  // One statement, because another process may be migrating a new file at this moment.
  const row = database.prepare(`
    select application_id                         as application,
           (select count(*) from sqlite_schema) as tables
      from pragma_application_id`);
  const { application, tables } = row.get() ?? {};
  if (application === APPLICATION_ID || (application === 0 && tables === 0)) return;
  throw new StoreError("failed", `${settings.path} is another application's database; configure another path.`);
}

function enableWal({ database, settings }: Connection): void {
  const mode = String(database.prepare("pragma journal_mode = wal").get()?.["journal_mode"]);
  if (mode === "wal") return;
  const message = `${settings.path} is on a file system without shared memory (journal mode ${mode}); use a local disk.`;
  throw new StoreError("failed", message);
}

function assertIntact({ database, settings }: Connection): void {
  if (statSync(settings.path).size > CHECKED_BYTES_MAX) return;
  const verdict = String(database.prepare("pragma quick_check(1)").get()?.["quick_check"]);
  if (verdict !== "ok") throw damaged(settings.path, verdict);
}

function damaged(path: string, detail: string, cause?: unknown): StoreError {
  const message = `${path} is damaged or not a database (${detail}); restore a backup or configure another path.`;
  return new StoreError("failed", message, cause === undefined ? undefined : { cause });
}
