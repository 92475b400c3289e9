// Keeps the journal (WAL) short without stalling commits: a thread of its own copies it into the database file.
//
// A checkpoint beside a busy writer never catches up with it: the writer goes on at the journal's end while the copying runs, and
// the journal starts over only when all of it has been copied. So when the journal has grown long in spite of the checkpoints,
// the writer copies the rest itself between two groups; that rest is short, since nearly all has been copied already.
import type { MessagePort } from "node:worker_threads";
import type { Connection } from "../database/connection.ts";
import { type CarriedError, carryError, isLost } from "../database/errors.ts";

/** Pages of 4 KiB in the journal that call for a checkpoint. */
const CHECKPOINT_PAGES = 1024;
/** Pages in the journal after a checkpoint that let the writer finish it. */
const LONG_PAGES = 4 * CHECKPOINT_PAGES;
/** Groups between two looks at the journal's length. */
const GROUPS_PER_LOOK = 16;

type Done = { readonly error: CarriedError | null };

/**
 * The writer's half. `lost` is called when a checkpoint failed in a way after which no write can be trusted. When the other thread could
 * not be started, or broke down, the writer does all the copying itself.
 */
export function watchJournal(
  connection: Connection,
  port: MessagePort,
  lost: (error: CarriedError) => void,
): { committed(): void } {
  let groups = 0;
  let isUnderWay = false;
  let isAlone = false;
  port.on("close", () => {
    isAlone = true;
    isUnderWay = false;
  });
  port.on("message", ({ error }: Done) => {
    isUnderWay = false;
    if (error !== null && isLost(error)) lost(error);
    else if (journalPages(connection) > LONG_PAGES) finishCheckpoint(connection, lost);
  });
  return {
    committed() {
      groups += 1;
      if (isUnderWay || groups < GROUPS_PER_LOOK) return;
      groups = 0;
      if (journalPages(connection) < CHECKPOINT_PAGES) return;
      if (isAlone) return finishCheckpoint(connection, lost);
      isUnderWay = true;
      port.postMessage(null);
    },
  };
}

/** The checkpointing thread's half. The thread was started because a checkpoint was asked for: it begins with one. */
export function serveCheckpoints(connection: Connection, port: MessagePort): void {
  const checkpoint = (): void => {
    let error: CarriedError | null = null;
    try {
      connection.database.exec("pragma wal_checkpoint(passive)");
    } catch (thrown) {
      error = carryError(thrown);
    }
    port.postMessage({ error } satisfies Done);
  };
  port.on("message", checkpoint);
  checkpoint();
}

function finishCheckpoint(connection: Connection, lost: (error: CarriedError) => void): void {
  try {
    connection.database.exec("pragma wal_checkpoint(passive)");
  } catch (thrown) {
    const error = carryError(thrown);
    if (isLost(error)) lost(error);
  }
}

/** Pages that the journal holds; 0 when it cannot be asked just now. */
function journalPages({ database }: Connection): number {
  try {
    return Number(database.prepare("pragma wal_checkpoint(noop)").get()?.["log"]);
  } catch {
    return 0;
  }
}
