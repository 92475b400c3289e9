// Access to the database file from outside, as another process would have it.
import { readFileSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** Runs a function with a connection of its own. */
export function withDatabase<Result>(path: string, look: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(path, { timeout: 5000 });
  try {
    return look(database);
  } finally {
    database.close();
  }
}

/** The number of the store's files that contain a text. */
export function countFilesWith(path: string, text: string): number {
  return [path, `${path}-wal`].filter((file) => readIfThere(file).includes(text)).length;
}

/** Size of the WAL in bytes; 0 when there is none. */
export function walBytes(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

function readIfThere(file: string): Buffer {
  return statSync(file, { throwIfNoEntry: false }) === undefined ? Buffer.alloc(0) : readFileSync(file);
}
