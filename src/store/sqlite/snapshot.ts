// Reads that wait together share one snapshot, begun when they are run: it holds every commit that was acknowledged before.
import type { Call, Outcome } from "./calls.ts";
import type { Connection } from "./connection.ts";
import { carryError } from "./errors.ts";
import { runCall } from "./group-commit.ts";

/** Runs calls on one snapshot: one outcome a call, in their order; one that throws fails alone. */
export function readSnapshot(connection: Connection, calls: readonly Call[]): Outcome[] {
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
