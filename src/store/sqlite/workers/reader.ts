// The reader: reads that wait together share one snapshot, begun when they run; it contains every commit acknowledged
// before.
import { type CallResult, errorResult, type StoreCall, type CallHandler } from "./messages.ts";
import type { Connection } from "../database/connection.ts";
import { serializeError } from "../database/errors.ts";
import { rollBack, runCall } from "./group-commit.ts";

/** Creates the handler of reads on a connection. */
export function serveReads(connection: Connection): CallHandler {
  return (calls, respond) => respond(readSnapshot(connection, calls));
}

/** Runs calls in order on one snapshot; one that throws fails alone. */
function readSnapshot(connection: Connection, calls: readonly StoreCall[]): CallResult[] {
  const { database } = connection;
  try {
    database.exec("begin");
    return calls.map((call) => readOne(connection, call));
  } catch (error) {
    const serialized = serializeError(error);
    return calls.map((call) => errorResult(call, serialized));
  } finally {
    // Rollback instead of commit: SQLite rejects a commit after a read has met a damaged page.
    rollBack(connection);
  }
}

function readOne(connection: Connection, call: StoreCall): CallResult {
  try {
    return runCall(connection, call);
  } catch (error) {
    return errorResult(call, serializeError(error));
  }
}
