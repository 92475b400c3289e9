// Keeps the WAL short without stalling commits: a separate thread checkpoints it into the database file.
//
// A checkpoint never catches up with a busy writer, which appends to the WAL while the checkpoint runs; and the WAL
// starts over only when all of it has been copied. When the WAL has grown long in spite of the checkpoints, the writer
// therefore copies the rest itself between two groups. That rest is short, because nearly all has been copied already.
import type { MessagePort, Worker } from "node:worker_threads";
import type { Connection } from "../database/connection.ts";
import { type SerializedError, serializeError } from "../database/errors.ts";

/** Pages of 4 KiB in the WAL at which a checkpoint is requested. */
const CHECKPOINT_PAGES = 1024;
/** Pages in the WAL after a checkpoint at which the writer finishes it itself. */
const LONG_PAGES = 4 * CHECKPOINT_PAGES;
/** Groups between two checks of the WAL's length. */
const GROUPS_PER_CHECK = 16;

/**
 * The writer's half. `start` starts the other thread, when the first checkpoint is due. `onError` gets the errors of
 * checkpoints.
 */
export function watchWal(
  connection: Connection,
  start: () => Worker,
  onError: (error: SerializedError | null) => void,
): { committed(): void; close(): Promise<void> } {
  let groups = 0;
  let isUnderWay = false;
  let thread: Worker | null = null;
  const startThread = (): Worker => {
    const started = start();
    started.on("message", (error: SerializedError | null) => {
      isUnderWay = false;
      onError(error);
      if (walPages(connection) > LONG_PAGES) onError(checkpoint(connection));
    });
    // It could not be started, or has failed: the writer runs this checkpoint itself, and another thread the next one.
    started.on("error", () => {
      thread = null;
      isUnderWay = false;
      onError(checkpoint(connection));
    });
    return started;
  };
  return {
    committed() {
      groups += 1;
      if (isUnderWay || groups < GROUPS_PER_CHECK) return;
      groups = 0;
      if (walPages(connection) < CHECKPOINT_PAGES) return;
      isUnderWay = true;
      thread ??= startThread();
      thread.postMessage(null);
    },
    // A checkpoint that is under way ends before its thread does.
    close: async () => void (await thread?.terminate()),
  };
}

/** The checkpointing thread's half: each message asks for a checkpoint. */
export function serveCheckpoints(connection: Connection, port: MessagePort): void {
  port.on("message", () => port.postMessage(checkpoint(connection)));
}

/** Copies what it can of the WAL into the database file; returns the error that prevented it. */
function checkpoint({ database }: Connection): SerializedError | null {
  try {
    database.exec("pragma wal_checkpoint(passive)");
    return null;
  } catch (error) {
    return serializeError(error);
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
