// Backups of the embedded store: a copy of the file while a service writes to it, and a database made of such a copy.
import { existsSync, mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../../ports/store/store.ts";
import type { BackedUp, BackupProgress } from "../engine/backup.ts";
import { BUSY_TIMEOUT_MS } from "./database/connection.ts";
import { acquireLock } from "./database/lock.ts";
import { checkIntegrity, checkSchema } from "./database/schema-check.ts";
import { readSecretCheck } from "./database/schema-version.ts";
import { copyDatabase } from "./database/verified-copy.ts";

/** The journals that SQLite would read into a database of their name. */
const JOURNALS = ["-wal", "-journal"] as const;

/** StoreEngine.backUp. */
export async function backUp(location: string, file: string, onProgress: BackupProgress): Promise<BackedUp> {
  const [path, target] = [resolve(location), resolve(file)];
  if (!existsSync(path))
    throw new StoreError("failed", `There is no database ${path}: check the working directory and DATABASE_URL.`);
  assertFree(target, "choose another name for the backup");
  const source = open(path);
  try {
    checkSchema(source, path);
    return await copyDatabase(source, target, onProgress);
  } finally {
    source.close();
  }
}

/** StoreEngine.restore. */
export async function restore(
  file: string,
  location: string,
  { admit, onProgress }: { admit: (secretCheck: string | null) => void; onProgress: BackupProgress },
): Promise<BackedUp> {
  const [path, target] = [resolve(file), resolve(location)];
  if (!existsSync(path)) throw new StoreError("failed", `There is no file ${path}.`);
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  // Before the target is looked for: while this holds the lock, no service starts on it.
  const release = acquireLock(target);
  try {
    assertFree(target, "move it away first");
    // Of another database, left by a crash.
    for (const journal of JOURNALS) assertFree(`${target}${journal}`, "move it away first");
    const source = open(path);
    try {
      checkSchema(source, path);
      checkIntegrity(source, path);
      admit(readSecretCheck(path));
      return await copyDatabase(source, target, onProgress);
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

function open(path: string): DatabaseSync {
  return new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
}
