// Reads of a few rows by key on a connection of the caller's own thread: a message to another thread and back costs
// several times what such a read does. See docs/decisions/performance.md
import { StoreError } from "../../../ports/store/store.ts";
import { type Connection, type ConnectionSettings, openConnection } from "../database/connection.ts";
import { deserializeError, serializeError } from "../database/errors.ts";
import type { Execution } from "../../engine/run.ts";
import { runAtOnce } from "../../engine/transaction.ts";

/** Creates the reads without opening the connection. */
export function createPointReads(settings: ConnectionSettings) {
  let connection: Connection | null = null;
  let snapshots: ReturnType<typeof openSnapshots> | null = null;
  return {
    /** Opens the connection; the file and its schema must exist. */
    open(): void {
      connection = { ...openConnection(settings, "read"), commitCache: [] };
      snapshots = openSnapshots(connection);
    },
    /**
     * Runs a procedure in a snapshot that contains every commit acknowledged before, shared with the other reads of the
     * same turn of the event loop. Throws a StoreError.
     */
    read(procedure: Execution<string>["procedure"], argument: unknown, nowMs: number): unknown {
      if (connection === null || snapshots === null) throw new StoreError("unavailable", "The store is closed.");
      try {
        snapshots.enter();
        return runAtOnce(procedure.run(connection, argument as never, nowMs));
      } catch (error) {
        throw deserializeError(serializeError(error));
      }
    },
    close(): void {
      connection?.database.close();
      connection = null;
      snapshots = null;
    },
  };
}

/**
 * One snapshot for all reads of one turn of the event loop: a read transaction that ends before the loop continues.
 * Prepares the statements; opens none yet.
 */
export function openSnapshots(connection: Connection) {
  const { database } = connection;
  const begin = database.prepare("begin");
  // Rollback instead of commit: SQLite rejects a commit after a read has met a damaged page.
  const end = database.prepare("rollback");
  // Changes when another connection, of this process or another one, has committed.
  const version = database.prepare("pragma data_version");
  version.setReturnArrays(true);
  let isOpen = false;
  let seen: unknown;

  const leave = (): void => {
    isOpen = false;
    // The connection may have been closed meanwhile, or a failed read may have ended the transaction.
    if (database.isOpen && database.isTransaction) end.run();
  };
  // A microtask first, then a tick: ticks run after all pending promises, while a tick scheduled directly would run
  // before most of them.
  const leaveSoon = (): void => process.nextTick(leave);

  return {
    /**
     * Opens a snapshot unless one is open. It lasts until the running code, and every promise that it settles, has run.
     * It contains every commit made before, by any process. Throws SQLite's errors.
     */
    enter(): void {
      if (isOpen) return;
      begin.run();
      isOpen = true;
      queueMicrotask(leaveSoon);
      const before = seen;
      seen = undefined;
      try {
        [seen] = version.get() as unknown as readonly unknown[];
      } finally {
        // If reading data_version fails, drop the cache: later reads in this snapshot must not trust it.
        if (seen === undefined || seen !== before) for (const values of connection.commitCache ?? []) values?.clear();
      }
    },
  };
}
