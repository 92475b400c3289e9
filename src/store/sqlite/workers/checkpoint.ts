// Keeps the WAL short without stalling commits: a separate thread checkpoints it into the database file.
//
// A checkpoint never catches up with a busy writer, which appends to the WAL while the checkpoint runs; and the WAL
// starts over only when all of it has been copied. When the WAL has grown long in spite of the checkpoints, the writer
// therefore copies the rest itself between two groups. That rest is short, because nearly all has been copied already.
import type { MessagePort } from "node:worker_threads";
import type { Connection } from "../database/connection.ts";
import { type SerializedError, serializeError, isFatal } from "../database/errors.ts";
import { startGeneration } from "../database/generation.ts";

/** Pages of 4 KiB in the WAL at which a checkpoint is requested. */
const CHECKPOINT_PAGES = 1024;
/** Pages in the WAL after a checkpoint at which the writer finishes it itself. */
const LONG_PAGES = 4 * CHECKPOINT_PAGES;
/** Groups between two checks of the WAL's length. */
const GROUPS_PER_CHECK = 16;

type Done = { readonly error: SerializedError | null };

/**
 * The writer's half. `lost` is called when a checkpoint failed in a way after which no write can be trusted. When the
 * other thread could not be started, or has ended, the writer runs all checkpoints itself.
 */
export function watchWal(
  connection: Connection,
  port: MessagePort,
  lost: (error: SerializedError) => void,
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
    if (error !== null && isFatal(error)) lost(error);
    else if (walPages(connection) > LONG_PAGES) finishCheckpoint(connection, lost);
  });
  return {
    committed() {
      groups += 1;
      if (isUnderWay || groups < GROUPS_PER_CHECK) return;
      groups = 0;
      if (walPages(connection) < CHECKPOINT_PAGES) return;
      if (isAlone) return finishCheckpoint(connection, lost);
      isUnderWay = true;
      startGeneration(connection);
      port.postMessage(null);
    },
  };
}

/** The checkpointing thread's half. A request for a checkpoint started the thread, so it begins with one. */
export function serveCheckpoints(connection: Connection, port: MessagePort): void {
  const checkpoint = (): void => {
    let error: SerializedError | null = null;
    try {
      connection.database.exec("pragma wal_checkpoint(passive)");
    } catch (thrown) {
      error = serializeError(thrown);
    }
    port.postMessage({ error } satisfies Done);
  };
  port.on("message", checkpoint);
  checkpoint();
}

function finishCheckpoint(connection: Connection, lost: (error: SerializedError) => void): void {
  startGeneration(connection);
  try {
    connection.database.exec("pragma wal_checkpoint(passive)");
  } catch (thrown) {
    const error = serializeError(thrown);
    if (isFatal(error)) lost(error);
  }
}

/** Pages in the WAL; 0 when the number cannot be read now. */
export function walPages({ database }: Connection): number {
  try {
    return Number(database.prepare("pragma wal_checkpoint(noop)").get()?.["log"]);
  } catch {
    return 0;
  }
}
