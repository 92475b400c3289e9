// Migrations of a database's schema: numbered SQL files, each run once and never changed after it ran. A file begins
// with the line `-- compatible: yes. REASON.` when the former release can serve on the schema after it, else with
// `-- compatible: no. REASON.`
import { createHash } from "node:crypto";
import type { InstalledFolder } from "../../installation/folder.ts";
import { LaterSchema, StoreError } from "../../ports/store/store.ts";

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of its text after the mark, with normalized line ends, which a checkout may change. */
  readonly checksum: string;
  /** Whether a release that does not know it can serve on the schema after it. */
  readonly compatible: boolean;
}

/** A migration that a database has run. */
export interface AppliedMigration {
  readonly version: number;
  readonly name: string;
  /** Null: it ran before there were checksums. */
  readonly checksum: string | null;
  /** False also when it ran before there were marks. */
  readonly compatible: boolean;
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
    const [mark = "", answer] = /^-- compatible: (yes|no)\. .*\r?\n/.exec(sql) ?? [];
    const checksum = createHash("sha256").update(sql.slice(mark.length).replaceAll("\r\n", "\n")).digest("hex");
    return { version: Number.parseInt(name, 10), name, sql, checksum, compatible: answer === "yes" };
  });
}

/** The version of the schema after these migrations, oldest first. */
export function newestOf(migrations: readonly Pick<Migration, "version">[]): number {
  return migrations.at(-1)?.version ?? 0;
}

/**
 * Throws a LaterSchema when a database has run a later migration that is not compatible with this version, and a
 * StoreError (`failed`) when it has run one with another text. `database` names it in the message.
 */
export function checkApplied(
  database: string,
  applied: readonly AppliedMigration[],
  known: readonly Migration[],
): void {
  const newest = newestOf(known);
  const later = applied.filter(({ version }) => version > newest);
  if (later.some(({ compatible }) => !compatible)) {
    const current = newestOf(later);
    throw new LaterSchema(
      "failed",
      `${database} was written by a later version (schema ${current}; this version knows ${newest}). Run that version, or restore a backup from before the upgrade.`,
    );
  }
  for (const { version, name, checksum } of applied) {
    const migration = known.find((each) => each.version === version);
    if (checksum === null || version > newest || migration?.checksum === checksum) continue;
    throw new StoreError(
      "failed",
      `The migration ${name} was changed after it ran on ${database}: its checksum differs. Restore the file; a change of the schema needs a new migration.`,
    );
  }
}

/** How an incompatible migration asks the other nodes to stop, and how long it waits for them. */
export interface StopOthers {
  /** Called with their names. */
  readonly onWait: (names: readonly string[]) => void;
  readonly withinMs: number;
}
