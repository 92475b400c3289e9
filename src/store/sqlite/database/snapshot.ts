// One snapshot for all reads of one turn of the event loop: a read transaction that ends before the loop continues.
import type { Connection } from "./connection.ts";

/** The snapshots of a connection that reads on the event loop. */
export interface Snapshots {
  /**
   * Opens a snapshot unless one is open. It lasts until the running code, and every promise that it settles, has run.
   * It contains every commit made before, by any process. Throws SQLite's errors.
   */
  enter(): void;
}

/** Prepares the statements; opens no snapshot yet. */
export function openSnapshots(connection: Connection): Snapshots {
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
    enter() {
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
