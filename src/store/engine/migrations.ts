// Migrations of a database's schema: numbered SQL files, each run once and never changed after it ran.
import { createHash } from "node:crypto";
import type { InstalledFolder } from "../../installation/folder.ts";
import { StoreError } from "../../ports/store/store.ts";

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of its text with normalized line ends, which a checkout may change. */
  readonly checksum: string;
}

/** A migration that a database has run. */
export interface AppliedMigration {
  readonly version: number;
  readonly name: string;
  /** Null: it ran before there were checksums. */
  readonly checksum: string | null;
}

/** What a migration would do. */
export interface MigrationPlan {
  /** The number of the newest migration that has run; 0: none has. */
  readonly version: number;
  /** Those that would run, in this order. */
  readonly missing: readonly Migration[];
}

/** The plan for a database that has run these migrations. */
export function planOf(applied: readonly AppliedMigration[], known: readonly Migration[]): MigrationPlan {
  const versions = new Set(applied.map(({ version }) => version));
  return {
    version: applied.at(-1)?.version ?? 0,
    missing: known.filter(({ version }) => !versions.has(version)),
  };
}

/** The migrations in a folder, oldest first. */
export function readMigrations(folder: InstalledFolder): readonly Migration[] {
  const names = folder.list().filter((name) => name.endsWith(".sql"));
  return names.sort().map((name) => {
    const sql = folder.readText(name);
    const checksum = createHash("sha256").update(sql.replaceAll("\r\n", "\n")).digest("hex");
    return { version: Number.parseInt(name, 10), name, sql, checksum };
  });
}

/** The version of the schema after these migrations, oldest first. */
export function newestOf(migrations: readonly Pick<Migration, "version">[]): number {
  return migrations.at(-1)?.version ?? 0;
}

/**
 * Throws a StoreError (`failed`) when a database has run a later migration than this version has, or one with another
 * text. `database` names it in the message.
 */
export function checkApplied(
  database: string,
  applied: readonly AppliedMigration[],
  known: readonly Migration[],
): void {
  const newest = newestOf(known);
  const current = applied.at(-1)?.version ?? 0;
  if (current > newest) {
    throw new StoreError(
      "failed",
      `${database} was written by a later version (schema ${current}; this version knows ${newest}). Run that version, or restore a backup from before the upgrade.`,
    );
  }
  for (const { version, name, checksum } of applied) {
    const migration = known.find((each) => each.version === version);
    if (checksum === null || migration?.checksum === checksum) continue;
    throw new StoreError(
      "failed",
      `The migration ${name} was changed after it ran on ${database}: its checksum differs. Restore the file; a change of the schema needs a new migration.`,
    );
  }
}
