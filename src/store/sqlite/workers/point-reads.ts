// Reads of a few rows by key on a connection of the caller's own thread: a message to another thread and back costs
// several times what such a read does. See docs/decisions/performance.md
import { StoreError } from "../../../ports/store/store.ts";
import { type Connection, type ConnectionSettings, openConnection } from "../database/connection.ts";
import { serializeError, deserializeError } from "../database/errors.ts";
import type { Execution } from "../../engine/run.ts";
import { runAtOnce } from "../../engine/transaction.ts";
import { openSnapshots, type Snapshots } from "../database/snapshot.ts";

export interface PointReads {
  /** Opens the connection; the file and its schema must exist. */
  open(): void;
  /**
   * Runs an operation in a snapshot that contains every commit acknowledged before, shared with the other reads of the
   * same turn of the event loop. Throws a StoreError.
   */
  read(operation: Execution<string>["operation"], argument: unknown, nowMs: number): unknown;
  close(): void;
}

/** Creates the reads without opening the connection. */
export function createPointReads(settings: ConnectionSettings): PointReads {
  let connection: Connection | null = null;
  let snapshots: Snapshots | null = null;
  return {
    open() {
      connection = { ...openConnection(settings, "read"), commitCache: [] };
      snapshots = openSnapshots(connection);
    },
    read(operation, argument, nowMs) {
      if (connection === null || snapshots === null) throw new StoreError("unavailable", "The store is closed.");
      try {
        snapshots.enter();
        return runAtOnce(operation.run(connection, argument as never, nowMs));
      } catch (error) {
        throw deserializeError(serializeError(error));
      }
    },
    close() {
      connection?.database.close();
      connection = null;
      snapshots = null;
    },
  };
}
