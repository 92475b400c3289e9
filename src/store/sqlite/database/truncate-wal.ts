// Truncates the WAL, so that no erased content is left in it.
import { setTimeout as sleep } from "node:timers/promises";
import { StoreError } from "../../../ports/store/store.ts";
import { BUSY_TIMEOUT_MS, type Connection } from "./connection.ts";

/** Attempts while readers use the WAL, and milliseconds between two of them. */
const ATTEMPTS = 1000;
const RETRY_MS = 10;

/**
 * Checkpoints the whole WAL and truncates it; rejects with a StoreError (`unavailable`) when readers keep using it.
 * Writes continue between the attempts: SQLite's own wait for readers would hold the write lock.
 */
export async function truncateWal(connection: Connection): Promise<void> {
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
