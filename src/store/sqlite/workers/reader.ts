// The reader: reads that wait together share one snapshot, begun when they are run: it holds every commit that was acknowledged before.
import { type Answer, answerError, type Call, type Server } from "./calls.ts";
import type { Connection } from "../database/connection.ts";
import { carryError } from "../database/errors.ts";
import { rollBack, runCall } from "./group-commit.ts";

/** Serves reads on a connection. */
export function serveReads(connection: Connection): Server {
  return (calls, answer) => answer(readSnapshot(connection, calls));
}

/** Runs calls on one snapshot, in their order; one that throws fails alone. */
function readSnapshot(connection: Connection, calls: readonly Call[]): Answer[] {
  const { database } = connection;
  try {
    database.exec("begin");
    return calls.map((call) => readOne(connection, call));
  } catch (error) {
    const carried = carryError(error);
    return calls.map((call) => answerError(call, carried));
  } finally {
    // Not a commit, which SQLite refuses after one of them has met a damaged page.
    rollBack(connection);
  }
}

function readOne(connection: Connection, call: Call): Answer {
  try {
    return runCall(connection, call);
  } catch (error) {
    return answerError(call, carryError(error));
  }
}
