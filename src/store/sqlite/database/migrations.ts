// The embedded store's migrations: those of this version, and those that a file has run.
import type { DatabaseSync } from "node:sqlite";
import { installation } from "../../../installation/installation.ts";
import { type AppliedMigration, type Migration, readMigrations } from "../../engine/migrations.ts";

/** This version's migrations, oldest first. */
export function listMigrations(): readonly Migration[] {
  return readMigrations(installation.migrations.sqlite);
}

/** The migrations that a database has run, oldest first. */
export function listApplied(database: DatabaseSync): readonly AppliedMigration[] {
  const columns = database.prepare("select name from pragma_table_info('schema_version')").all();
  if (columns.length === 0) return [];
  const checksum = hasChecksums(database) ? "checksum" : "null as checksum";
  const rows = database.prepare(`select version, name, ${checksum} from schema_version order by version`).all();
  return rows.map((row) => ({
    version: Number(row["version"]),
    name: String(row["name"]),
    checksum: row["checksum"] === null ? null : String(row["checksum"]),
  }));
}

/** Whether a database stores checksums; older ones do not. */
export function hasChecksums(database: DatabaseSync): boolean {
  const row = database.prepare("select 1 from pragma_table_info('schema_version') where name = 'checksum'").get();
  return row !== undefined;
}
