// Reads of a few rows by key, on a connection of the caller's own thread: to cross to another thread and back costs several times
// what they do. docs/decisions/point-reads.md
import { StoreError } from "../../../ports/store.ts";
import type { StoreSideTelemetry } from "../../../ports/telemetry.ts";
import { type Connection, type ConnectionSettings, openConnection } from "../database/connection.ts";
import { carryError, kindOf, reviveError } from "../database/errors.ts";
import type { OperationName } from "../operations.ts";
import { OPERATIONS } from "../operations.ts";
import { openSnapshots, type Snapshots } from "../database/snapshot.ts";

export interface PointReads {
  /** Opens the connection; the file and its schema are there. */
  open(): void;
  /**
   * Runs an operation in a snapshot, which holds every commit that was acknowledged before, and which it shares with the other reads
   * of the same moment. Throws a StoreError.
   */
  read(name: OperationName, sent: unknown, nowMs: number): unknown;
  close(): void;
}

/** Opens nothing yet. */
export function createPointReads(settings: ConnectionSettings, telemetry: StoreSideTelemetry | null): PointReads {
  let connection: Connection | null = null;
  let snapshots: Snapshots | null = null;
  return {
    open() {
      connection = { ...openConnection(settings, "read"), kept: [] };
      snapshots = openSnapshots(connection);
    },
    read(name, sent, nowMs) {
      if (connection === null || snapshots === null) throw new StoreError("unavailable", "The store is closed.");
      const startedMs = performance.now();
      try {
        snapshots.enter();
        const answered = OPERATIONS[name].run(connection, sent as never, nowMs);
        telemetry?.callAnswered(name, "ok", performance.now() - startedMs);
        return answered;
      } catch (error) {
        const carried = carryError(error);
        telemetry?.callAnswered(name, kindOf(carried), performance.now() - startedMs);
        throw reviveError(carried);
      }
    },
    close() {
      connection?.database.close();
      connection = null;
      snapshots = null;
    },
  };
}
