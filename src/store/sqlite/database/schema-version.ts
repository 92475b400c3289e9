// Which migrations a database file has seen, and with which root secret it was made. From outside too: `migrate` and `doctor` look
// at a file that no store has open.
import { DatabaseSync } from "node:sqlite";
import { BUSY_TIMEOUT_MS } from "./connection.ts";

/** The number of the newest migration that a database has seen; 0 when it has seen none. */
export function schemaVersionOf(database: DatabaseSync): number {
  const isNew = database.prepare("select 1 from sqlite_schema where name = 'schema_version'").get() === undefined;
  if (isNew) return 0;
  const row = database.prepare("select max(version) as version from schema_version").get();
  return Number(row?.["version"] ?? 0);
}

/** The same of a file. */
export function readSchemaVersion(path: string): number {
  return lookInto(path, schemaVersionOf);
}

/** When the newest migration was applied, milliseconds since 1970; 0 when none was. */
export function readMigratedAtMs(path: string): number {
  if (readSchemaVersion(path) === 0) return 0;
  return lookInto(path, (database) => {
    const row = database.prepare("select max(applied_at_ms) as appliedAtMs from schema_version").get();
    return Number(row?.["appliedAtMs"] ?? 0);
  });
}

/** The check value of the root secret that the keys of a file were made with; null when none was kept yet. */
export function readSecretCheck(path: string): string | null {
  return lookInto(path, (database) => {
    const isOlder = database.prepare("select 1 from sqlite_schema where name = 'root_secret'").get() === undefined;
    if (isOlder) return null;
    const row = database.prepare("select check_value as checkValue from root_secret").get();
    return row === undefined ? null : String(row["checkValue"]);
  });
}

/** The version of SQLite that this Node carries. */
export function readSqliteVersion(): string {
  return lookInto(":memory:", (database) =>
    String(database.prepare("select sqlite_version() as version").get()?.["version"]),
  );
}

function lookInto<T>(path: string, look: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(path, { readOnly: path !== ":memory:", timeout: BUSY_TIMEOUT_MS });
  try {
    return look(database);
  } finally {
    database.close();
  }
}
