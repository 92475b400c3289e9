// Empties the journal (WAL), so that nothing is left in it of what was erased.
import { setTimeout as sleep } from "node:timers/promises";
import { StoreError } from "../../../ports/store.ts";
import { BUSY_TIMEOUT_MS, type Connection } from "./connection.ts";

/** It waits for the readers of the journal: how often it tries, and how long between two tries, milliseconds. */
const TRIES = 1000;
const RETRY_MS = 10;

/**
 * Copies all of the journal and cuts it to nothing; rejects with a StoreError (`unavailable`) when readers do not let go of it.
 * Writes go on between the tries: SQLite itself would wait for the readers with the write lock in its hand.
 */
export async function emptyJournal(connection: Connection): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    if (isEmptied(connection)) return;
    await sleep(RETRY_MS);
  }
  throw new StoreError("unavailable", "The journal could not be emptied: another process keeps reading it.");
}

function isEmptied({ database }: Connection): boolean {
  database.exec("pragma busy_timeout = 0");
  try {
    return Number(database.prepare("pragma wal_checkpoint(truncate)").get()?.["busy"]) === 0;
  } finally {
    database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}
