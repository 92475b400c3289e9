// One server a database: a lock file that the operating system lets go of when its process dies, however it dies.
import { closeSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../../../ports/store.ts";
import { carryError, sqliteCode } from "./errors.ts";

/** `SQLITE_BUSY`. */
const BUSY = 5;

/**
 * Holds `<path>.lock` until the answered function is called. Throws a StoreError (`unavailable`) while another server holds it. The
 * file is an empty SQLite database and stays: removing it would let two servers lock two files of one name.
 */
export function holdLock(path: string): () => void {
  const lockPath = `${path}.lock`;
  closeSync(openSync(lockPath, "a", 0o600));
  const database = new DatabaseSync(lockPath, { timeout: 0 });
  try {
    database.exec("begin exclusive");
  } catch (error) {
    database.close();
    if (sqliteCode(error) !== BUSY) throw error;
    const message = `Another server is running on ${path} (it holds ${lockPath}).`;
    throw new StoreError("unavailable", message, { cause: carryError(error) });
  }
  return () => database.close();
}
