// Copies a database into a new file, which gets its name only when it is complete and verified.
//
// The copy runs in one read transaction: it holds the state of one moment, its rows can be counted in the same state,
// and commits of other processes neither wait for it nor make it start over. Measured: docs/decisions/backup.md
import { closeSync, fsyncSync, linkSync, openSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { HOUR_MS } from "../../../base/time.ts";
import { StoreError } from "../../../ports/store/store.ts";
import { checkIntegrity, checkSchema } from "./inspect.ts";

export interface CopiedDatabase {
  /** The copy's rows, table by table. */
  readonly rows: Readonly<Record<string, number>>;
  /** The number of the newest migration that the copy has run. */
  readonly schemaVersion: number;
  readonly bytes: number;
}

/** Called with the number of pages that are copied. */
export type BackupProgress = (pages: number, total: number) => void;

/** Pages that are written to disk at once. All at the end would hold up the commits of a service on the same disk. */
const PAGES_AT_ONCE = 4000;

/** A copy under way, or what a killed one left: the file and its journal, named for the process. */
const DRAFT = /\.(\d+)\.turngate-part(?:-journal)?$/;

/** How long a draft of no process of this machine is left alone: a process in another container may write it. */
const DRAFT_KEPT_MS = HOUR_MS;

/**
 * Copies an open database to a path without a file. The copy has mode 0600 and needs no journal beside it, so that it
 * can be read from a read-only place. Throws a StoreError (`failed`) and leaves nothing when the copy can't be written
 * or is not complete, or when another file has taken the path.
 */
export async function copyDatabase(
  source: DatabaseSync,
  target: string,
  onProgress: BackupProgress,
): Promise<CopiedDatabase> {
  const draft = `${target}.${process.pid}.turngate-part`;
  try {
    removeRemains(dirname(target));
    closeSync(openSync(draft, "wx", 0o600));
    source.exec("begin");
    const expected = countRows(source);
    await backup(source, draft, {
      rate: PAGES_AT_ONCE,
      progress({ totalPages, remainingPages }) {
        writeThrough(draft);
        onProgress(totalPages - remainingPages, totalPages);
      },
    });
    source.exec("rollback");
    onProgress(1, 1);
    const schemaVersion = verify(draft, expected);
    writeThrough(draft);
    // Atomic, and never replaces a file.
    linkSync(draft, target);
    writeThrough(dirname(target));
    return { rows: Object.fromEntries(expected), schemaVersion, bytes: statSync(target).size };
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreError("failed", `${target} can't be written: ${reason}.`, { cause: error });
  } finally {
    for (const suffix of ["", "-journal"]) rmSync(`${draft}${suffix}`, { force: true });
  }
}

/** Removes what killed copies left in a folder. */
function removeRemains(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = Number(DRAFT.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    const path = join(folder, name);
    const changedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    if (changedMs + DRAFT_KEPT_MS < Date.now()) rmSync(path, { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function verify(draft: string, expected: ReadonlyMap<string, number>): number {
  const copy = new DatabaseSync(draft);
  try {
    // The page that says WAL was copied too: a reader would create a WAL beside the file.
    copy.exec("pragma journal_mode = delete");
    checkIntegrity(copy, draft);
    const found = countRows(copy);
    const wrong = [...expected].find(([table, count]) => found.get(table) !== count);
    if (wrong === undefined && found.size === expected.size) return checkSchema(copy, draft);
    throw new StoreError("failed", `${draft} is not complete: ${wrong?.[0] ?? "a table"} lacks rows.`);
  } finally {
    copy.close();
  }
}

function countRows(database: DatabaseSync): ReadonlyMap<string, number> {
  const tables = database
    .prepare(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name",
    )
    .all();
  return new Map(
    tables.map(({ name }) => {
      const row = database.prepare(`select count(*) as count from "${String(name)}"`).get();
      return [String(name), Number(row?.["count"])] as const;
    }),
  );
}

function writeThrough(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
