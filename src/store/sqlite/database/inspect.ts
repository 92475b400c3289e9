// Looks into a file that no store has open: the migrations that it has run, the check value of its root secret, its
// pages, its references and its schema.
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../../../ports/store/store.ts";
import { COUNT_FORMER_HASHES } from "../../accounts/former-hashes.ts";
import { checkApplied, type MigrationPlan, planOf } from "../../engine/migrations.ts";
import { BUSY_TIMEOUT_MS } from "./connection.ts";
import { APPLICATION_ID, assertNotForeign, listApplied, listMigrations, wrapDamageError } from "./migrate.ts";

/**
 * Checks an open database of this path; returns the number of its newest migration. Throws a StoreError (`failed`) when
 * it is another application's, was written by a later version, or lacks a table, index or trigger of its migrations.
 */
export function checkSchema(database: DatabaseSync, path: string): number {
  try {
    const { application } =
      database.prepare("select application_id as application from pragma_application_id").get() ?? {};
    const applied = listApplied(database);
    const newest = applied.at(-1);
    if (application !== APPLICATION_ID || newest === undefined)
      throw new StoreError("failed", `${path} is not a database of Turngate.`);
    checkApplied(path, applied, listMigrations());
    const found = listObjects(database);
    const missing = [...expectedObjects(newest.version)].find(([name, sql]) => found.get(name) !== sql);
    if (missing === undefined) return newest.version;
    throw new StoreError(
      "failed",
      `${path} has schema ${newest.version}, but its ${missing[0]} is missing or was changed.`,
    );
  } catch (error) {
    throw wrapDamageError(error, path);
  }
}

/** Reads every page. Throws a StoreError (`failed`) for damage and for a row that refers to none. */
export function checkIntegrity(database: DatabaseSync, path: string): void {
  try {
    const verdict = String(database.prepare("pragma integrity_check(1)").get()?.["integrity_check"]);
    if (verdict !== "ok") throw new StoreError("failed", `${path} is damaged (${verdict}).`);
    const stray = database.prepare("pragma foreign_key_check").get();
    if (stray !== undefined)
      throw new StoreError("failed", `${path} is damaged (${String(stray["table"])} refers to a row that is missing).`);
  } catch (error) {
    throw wrapDamageError(error, path);
  }
}

/** The objects that the migrations up to a version create. */
function expectedObjects(version: number): ReadonlyMap<string, string> {
  const database = new DatabaseSync(":memory:");
  try {
    for (const migration of listMigrations()) if (migration.version <= version) database.exec(migration.sql);
    return listObjects(database);
  } finally {
    database.close();
  }
}

/**
 * Tables, indexes and triggers with their SQL, line ends aside, which a checkout may change. `schema_version` has two
 * shapes, and its content is checked instead.
 */
function listObjects(database: DatabaseSync): ReadonlyMap<string, string> {
  const rows = database
    .prepare("select type, name, sql from sqlite_schema where sql is not null and name <> 'schema_version'")
    .all();
  return new Map(
    rows.map((row) => [`${String(row["type"])} ${String(row["name"])}`, String(row["sql"]).replaceAll("\r\n", "\n")]),
  );
}

/** What opening a file would migrate; a missing file is a new one. Throws a StoreError as opening it does. */
export function planMigration(path: string): MigrationPlan {
  const known = listMigrations();
  if (!existsSync(path)) return planOf([], known);
  try {
    return withDatabase(path, (database) => {
      assertNotForeign({ database, settings: { path } });
      const applied = listApplied(database);
      checkApplied(path, applied, known);
      return planOf(applied, known);
    });
  } catch (error) {
    throw wrapDamageError(error, path);
  }
}

/** When the newest migration was applied, milliseconds since 1970; 0 when none was. */
export function readMigratedAtMs(path: string): number {
  return withDatabase(path, (database) => {
    if (listApplied(database).length === 0) return 0;
    const row = database.prepare("select max(applied_at_ms) as appliedAtMs from schema_version").get();
    return Number(row?.["appliedAtMs"] ?? 0);
  });
}

/** The check value of the root secret that the file's keys were hashed with; null when none is stored yet. */
export function readSecretCheck(path: string): string | null {
  return withDatabase(path, (database) => {
    const isOlder = database.prepare("select 1 from sqlite_schema where name = 'root_secret'").get() === undefined;
    if (isOlder) return null;
    const row = database.prepare("select check_value as checkValue from root_secret").get();
    return row === undefined ? null : String(row["checkValue"]);
  });
}

/** How many secrets of the file's valid keys and valid tokens have a hash of another root secret than that of this check value. */
export function countFormerHashes(path: string, checkValue: string): number {
  return withDatabase(path, (database) => {
    const { keys, tokens } = database.prepare(COUNT_FORMER_HASHES).get({ checkValue, nowMs: Date.now() }) ?? {};
    return Number(keys) + Number(tokens);
  });
}

/** Those of these ids and names that an organization of the file has. */
export function findOrganizations(path: string, idsOrNames: readonly string[]): readonly string[] {
  return withDatabase(path, (database) => {
    const find = database.prepare(
      "select 1 from organizations where (id = :idOrName or name = :idOrName) and deleted_at_ms is null",
    );
    return idsOrNames.filter((idOrName) => find.get({ idOrName }) !== undefined);
  });
}

/** The version of SQLite in this Node. */
export function readSqliteVersion(): string {
  return withDatabase(":memory:", (database) =>
    String(database.prepare("select sqlite_version() as version").get()?.["version"]),
  );
}

function withDatabase<T>(path: string, look: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(path, { readOnly: path !== ":memory:", timeout: BUSY_TIMEOUT_MS });
  try {
    return look(database);
  } finally {
    database.close();
  }
}
