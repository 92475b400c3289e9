// Reads a database file's migrations and the check value of its root secret. `migrate` and `doctor` use it on files
// that no store has open.
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { BUSY_TIMEOUT_MS } from "./connection.ts";
import { checkApplied, type MigrationPlan, planOf } from "../../engine/migrations.ts";
import { assertNotForeign, wrapDamageError } from "./migrate.ts";
import { listMigrations, listApplied } from "./migrations.ts";

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
