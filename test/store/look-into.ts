// A look into the database file from outside, as another process would have.
import { readFileSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** Does something through a connection of its own. */
export function lookInto<Result>(path: string, look: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(path, { timeout: 5000 });
  try {
    return look(database);
  } finally {
    database.close();
  }
}

/** In how many of the store's files a text stands. */
export function countFilesWith(path: string, text: string): number {
  return [path, `${path}-wal`].filter((file) => readIfThere(file).includes(text)).length;
}

/** Bytes of the journal; 0 when there is none. */
export function journalBytes(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

function readIfThere(file: string): Buffer {
  return statSync(file, { throwIfNoEntry: false }) === undefined ? Buffer.alloc(0) : readFileSync(file);
}
