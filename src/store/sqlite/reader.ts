// The reader: reads that wait together share one snapshot, begun when they are run: it holds every commit that was acknowledged before.
import { type Call, type Outcome, pairAnswers, type Server } from "./calls.ts";
import type { Connection } from "./connection.ts";
import { carryError } from "./errors.ts";
import { runCall } from "./group-commit.ts";

/** Serves reads on a connection. */
export function serveReads(connection: Connection): Server {
  return (calls, answer) => answer(pairAnswers(calls, readSnapshot(connection, calls)));
}

/** Runs calls on one snapshot: one outcome a call, in their order; one that throws fails alone. */
function readSnapshot(connection: Connection, calls: readonly Call[]): Outcome[] {
  const { database } = connection;
  database.exec("begin");
  try {
    return calls.map((call): Outcome => {
      try {
        return { ok: true, answered: runCall(connection, call) };
      } catch (error) {
        return { ok: false, error: carryError(error) };
      }
    });
  } finally {
    database.exec("commit");
  }
}
