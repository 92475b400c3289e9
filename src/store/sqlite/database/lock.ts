// One server per database: a lock file that the operating system releases when the process dies, however it dies.
import { closeSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../../../ports/store/store.ts";
import { serializeError, sqliteCode } from "./errors.ts";

/** `SQLITE_BUSY`. */
const BUSY = 5;

/**
 * Holds `<path>.lock` until the returned function is called. Throws a StoreError (`unavailable`) while another server
 * holds it. The file is an empty SQLite database and is never removed: two servers could otherwise lock two files of
 * the same name.
 */
export function acquireLock(path: string): () => void {
  const lockPath = `${path}.lock`;
  closeSync(openSync(lockPath, "a", 0o600));
  const database = new DatabaseSync(lockPath, { timeout: 0 });
  try {
    database.exec("begin exclusive");
  } catch (error) {
    database.close();
    if (sqliteCode(error) !== BUSY) throw error;
    const message = `Another server is running on ${path} (it holds ${lockPath}).`;
    throw new StoreError("unavailable", message, { cause: serializeError(error) });
  }
  return () => database.close();
}
