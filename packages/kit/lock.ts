// One process at a time: a lock file that the operating system releases when the process dies, however it dies.
import { closeSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** `SQLITE_BUSY`. */
const BUSY = 5;

/**
 * Holds `<path>.lock` until the returned function is called; null while another process holds it. The file is an empty
 * SQLite database and is not removed: two processes could otherwise lock two files of the same name.
 */
export function tryLock(path: string): (() => void) | null {
  const lockPath = `${path}.lock`;
  closeSync(openSync(lockPath, "a", 0o600));
  const database = new DatabaseSync(lockPath, { timeout: 0 });
  try {
    database.exec("begin exclusive");
  } catch (error) {
    database.close();
    if (error instanceof Error && "errcode" in error && error.errcode === BUSY) return null;
    throw error;
  }
  return () => database.close();
}
