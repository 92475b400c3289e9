// One snapshot for all that is read in one go: a read transaction that ends before the event loop goes on.
import type { Connection } from "./connection.ts";
import { forgetKept } from "./kept.ts";

/** The snapshots of a connection that reads on the event loop. */
export interface Snapshots {
  /**
   * Sees to it that a snapshot is open; it lasts until the code that runs now, and every promise that it settles, has run. What was
   * committed before is in it, whoever committed. Throws what SQLite throws.
   */
  enter(): void;
}

/** No snapshot is open yet. */
export function openSnapshots(connection: Connection): Snapshots {
  const { database } = connection;
  const begin = database.prepare("begin");
  // Not a commit, which SQLite refuses after a read has met a damaged page.
  const end = database.prepare("rollback");
  // Changes when another connection has committed, of this process or of another one.
  const version = database.prepare("pragma data_version");
  version.setReturnArrays(true);
  let isOpen = false;
  let seen: unknown;

  const leave = (): void => {
    isOpen = false;
    // Closed in between, its transaction is gone with it; a read that failed may have ended it too.
    if (database.isOpen && database.isTransaction) end.run();
  };
  // A tick comes after the promises that wait now; of a tick that was asked for at once, most would still be waiting.
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
        // Should the look fail, nothing is known to be true, for the other reads of this go neither.
        if (seen === undefined || seen !== before) forgetKept(connection);
      }
    },
  };
}
