// Removes the remains of erased content from the database file after the commit that erased it.
//
// SQLite overwrites what it deletes (`secure_delete`), but splitting or merging pages moves rows, and a copy may stay
// in the unused part of a page until the space is reused. Only rewriting the whole file (`vacuum`) removes such copies.
import { setTimeout as sleep } from "node:timers/promises";
import { StoreError } from "../../../ports/store/store.ts";
import { BUSY_TIMEOUT_MS, type Connection } from "./connection.ts";

/**
 * Files up to this size are rewritten after an erasure, which blocks writes for about half a second. Larger files are
 * left to `turngate erase`.
 */
const COMPACTED_BYTES_MAX = 64 * 1024 * 1024;

/** Attempts to truncate the WAL while readers use it, and milliseconds between two of them. */
const ATTEMPTS = 1000;
const RETRY_MS = 10;

/** Connections that have erased content since the file was last rewritten. */
const uncompacted = new WeakSet<Connection>();

/** Ends a batch of erasure: truncates the WAL, and after the last batch of a sweep rewrites the file. */
export async function finishErasure(
  connection: Connection,
  { hasErased, isLast, mayBlockWrites }: { hasErased: boolean; isLast: boolean; mayBlockWrites: boolean },
): Promise<void> {
  if (hasErased) uncompacted.add(connection);
  const isDue = isLast && (mayBlockWrites || uncompacted.has(connection));
  if (isDue && (mayBlockWrites || fileBytes(connection) <= COMPACTED_BYTES_MAX)) {
    connection.database.exec("vacuum");
    uncompacted.delete(connection);
  }
  await truncateWal(connection);
}

function fileBytes({ database }: Connection): number {
  const row = database.prepare("select page_count * page_size as bytes from pragma_page_count, pragma_page_size").get();
  return Number(row?.["bytes"]);
}

/**
 * Checkpoints the whole WAL and truncates it; rejects with a StoreError (`unavailable`) when readers keep using it.
 * Writes continue between the attempts: SQLite's own wait for readers would hold the write lock.
 */
async function truncateWal(connection: Connection): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (tryTruncate(connection)) return;
    await sleep(RETRY_MS);
  }
  throw new StoreError("unavailable", "The WAL could not be truncated: another process keeps reading it.");
}

function tryTruncate({ database }: Connection): boolean {
  database.exec("pragma busy_timeout = 0");
  try {
    return Number(database.prepare("pragma wal_checkpoint(truncate)").get()?.["busy"]) === 0;
  } finally {
    database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}
