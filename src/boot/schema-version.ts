// Looks at a database file from outside the store: for `migrate` and `doctor`, which say what they find.
import { DatabaseSync } from "node:sqlite";

/** The number of the newest migration that the file has seen; 0 when it has seen none. */
export function readSchemaVersion(path: string): number {
  return lookInto(path, (database) => {
    const known = database.prepare("select count(*) as tables from sqlite_schema where name = 'schema_version'").get();
    if (Number(known?.["tables"]) === 0) return 0;
    const row = database.prepare("select max(version) as version from schema_version").get();
    return Number(row?.["version"] ?? 0);
  });
}

/** When the newest migration was applied, milliseconds since 1970; 0 when none was. */
export function readMigratedAtMs(path: string): number {
  if (readSchemaVersion(path) === 0) return 0;
  return lookInto(path, (database) => {
    const row = database.prepare("select max(applied_at_ms) as appliedAtMs from schema_version").get();
    return Number(row?.["appliedAtMs"] ?? 0);
  });
}

/** The version of SQLite that this Node carries. */
export function readSqliteVersion(): string {
  return lookInto(":memory:", (database) =>
    String(database.prepare("select sqlite_version() as version").get()?.["version"]),
  );
}

function lookInto<T>(path: string, look: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(path, { readOnly: path !== ":memory:", timeout: 5000 });
  try {
    return look(database);
  } finally {
    database.close();
  }
}
