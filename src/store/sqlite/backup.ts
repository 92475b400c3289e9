// Backups of the embedded store: a copy of the file while a service writes to it, and a database made of such a copy.
import { existsSync, rmSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { makeFolder } from "../../installation/make-folder.ts";
import { StoreError } from "../../ports/store/store.ts";
import { removeChecksum, verifyChecksum, writeChecksum } from "./database/checksum.ts";
import { BUSY_TIMEOUT_MS } from "./database/connection.ts";
import { sqliteCode } from "./database/errors.ts";
import { acquireLock } from "./database/lock.ts";
import { checkIntegrity, checkSchema, readSecretCheck } from "./database/inspect.ts";
import { type BackupProgress, type CopiedDatabase, copyDatabase } from "./database/verified-copy.ts";

/** A backup, or the database that was made of one. */
export interface BackedUp extends CopiedDatabase {
  /** The checksum of the backup, in hexadecimal; null when it has none to compare with. */
  readonly sha256: string | null;
}

/** The journals that SQLite would read into a database of their name. */
const JOURNALS = ["-wal", "-journal"] as const;

/**
 * Copies the database, as it is at one moment, into a new file of mode 0600, while a service may run on it. The file
 * appears under its name when its pages and the number of its rows have been checked, and then its checksum beside it.
 * Rejects with a StoreError when it exists.
 */
export async function backUp(location: string, file: string, onProgress: BackupProgress): Promise<BackedUp> {
  const [path, target] = [resolve(location), resolve(file)];
  if (!existsSync(path))
    throw new StoreError("failed", `There is no database ${path}: check the working directory and DATABASE_URL.`);
  assertFree(target, "choose another name for the backup");
  removeChecksum(target);
  const source = openChecked(path, (database) => void checkSchema(database, path));
  try {
    const copied = await copyDatabase(source, target, onProgress);
    return { ...copied, sha256: await withChecksum(target) };
  } finally {
    source.close();
  }
}

/** Writes the checksum of a new backup; without one, the backup goes too. */
async function withChecksum(target: string): Promise<string> {
  try {
    return await writeChecksum(target);
  } catch (error) {
    rmSync(target);
    throw error;
  }
}

/**
 * Makes a database of a backup, checked in the same way. `admit` gets the check value of the backup's root secret, null
 * if it has none, and throws to reject it. Rejects with a StoreError when there is a database, when a service runs on
 * it, or when the file is not a whole database of this version or an earlier one, or not what its checksum says.
 */
export async function restore(
  file: string,
  location: string,
  { admit, onProgress }: { admit: (secretCheck: string | null) => void; onProgress: BackupProgress },
): Promise<BackedUp> {
  const [path, target] = [resolve(file), resolve(location)];
  if (!existsSync(path)) throw new StoreError("failed", `There is no file ${path}.`);
  makeFolder(dirname(target));
  // Before the target is looked for: while this holds the lock, no service starts on it.
  const release = acquireLock(target);
  try {
    assertFree(target, "move it away first");
    // Of another database, left by a crash.
    for (const journal of JOURNALS) assertFree(`${target}${journal}`, "move it away first");
    const sha256 = statSync(path).isFile() ? await verifyChecksum(path) : null;
    const source = openChecked(path, (database) => {
      checkSchema(database, path);
      checkIntegrity(database, path);
    });
    try {
      admit(readSecretCheck(path));
      return { ...(await copyDatabase(source, target, onProgress)), sha256 };
    } finally {
      source.close();
    }
  } finally {
    release();
  }
}

function assertFree(path: string, remedy: string): void {
  if (existsSync(path)) throw new StoreError("failed", `${path} exists already and is left as it is; ${remedy}.`);
}

/** Opens a database for reading, and checks it. Throws a StoreError with its path: SQLite's own errors have none. */
function openChecked(path: string, check: (database: DatabaseSync) => void): DatabaseSync {
  const database = new DatabaseSync(path, { readOnly: true, open: false, timeout: BUSY_TIMEOUT_MS });
  try {
    database.open();
    check(database);
    return database;
  } catch (error) {
    if (database.isOpen) database.close();
    if (sqliteCode(error) === null) throw error;
    throw new StoreError("failed", `${path} cannot be read: ${(error as Error).message}.`, { cause: error });
  }
}
