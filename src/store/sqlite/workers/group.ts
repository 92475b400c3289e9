// Calls that wait together run as a group; each still succeeds or fails by itself. Writes share one transaction and one
// flush to disk. Reads share one snapshot, begun when they run: it contains every commit acknowledged before.
import type { Connection } from "../database/connection.ts";
import { isDamage, type SerializedError, serializeError } from "../database/errors.ts";
import { PROCEDURES } from "../../procedures.ts";
import { clearBuffers } from "../../engine/buffer.ts";
import { runAtOnce } from "../../engine/transaction.ts";
import { writeSums } from "../../money/sums.ts";
import type { CallResult, StoreCall } from "./thread.ts";

/**
 * Runs calls in order in one transaction. Returns their results in the same order, once the transaction is on disk. A
 * call that throws is rolled back alone. When the transaction itself fails, no call has changed anything and each
 * gets the error.
 */
export function writeGroup(connection: Connection, calls: readonly StoreCall[]): CallResult[] {
  // Calls rarely throw, and a savepoint copies every page that its call touches: the first attempt goes
  // without.
  return (
    attempt(connection, calls, runTogether) ??
    attempt(connection, calls, runApart) ??
    calls.flatMap((call) => attempt(connection, [call], runAll) ?? [])
  );
}

type Runner = (connection: Connection, calls: readonly StoreCall[]) => CallResult[] | null;

/** Runs a runner in one transaction; null when the runner gave up, with everything rolled back. */
function attempt(connection: Connection, calls: readonly StoreCall[], runner: Runner): CallResult[] | null {
  const { database } = connection;
  let committing = false;
  try {
    database.exec("begin immediate");
    const results = runner(connection, calls);
    if (results === null) {
      rollBack(connection);
      return null;
    }
    writeBuffers(connection);
    committing = true;
    database.exec("commit");
    return results;
  } catch (error) {
    const serialized = serializeError(error, committing);
    rollBack(connection);
    return failAll(calls, serialized);
  }
}

function runAll(connection: Connection, calls: readonly StoreCall[]): CallResult[] {
  return calls.map((call) => runCall(connection, call));
}

function runTogether(connection: Connection, calls: readonly StoreCall[]): CallResult[] | null {
  try {
    return runAll(connection, calls);
  } catch {
    return null;
  }
}

/** Gives up when a call meets a damaged page: SQLite then rejects the commit of the whole transaction. */
function runApart(connection: Connection, calls: readonly StoreCall[]): CallResult[] | null {
  const results: CallResult[] = [];
  for (const call of calls) {
    const result = runInSavepoint(connection, call);
    if (result === null) return null;
    results.push(result);
  }
  return results;
}

function runInSavepoint(connection: Connection, call: StoreCall): CallResult | null {
  const { database } = connection;
  database.exec("savepoint call");
  try {
    const result = runCall(connection, call);
    writeBuffers(connection);
    database.exec("release call");
    return result;
  } catch (error) {
    // A full disk and similar errors end the whole transaction: nothing is left to continue.
    if (!database.isTransaction) throw error;
    if (isDamage(error)) return null;
    clearBuffers(connection);
    database.exec("rollback to call");
    database.exec("release call");
    return [call[0], null, serializeError(error)];
  }
}

/** Runs reads in order on one snapshot; one that throws fails alone. */
export function readGroup(connection: Connection, calls: readonly StoreCall[]): CallResult[] {
  try {
    connection.database.exec("begin");
    return calls.map((call) => {
      try {
        return runCall(connection, call);
      } catch (error) {
        return [call[0], null, serializeError(error)];
      }
    });
  } catch (error) {
    return failAll(calls, serializeError(error));
  } finally {
    // Rollback instead of commit: SQLite rejects a commit after a read has met a damaged page.
    rollBack(connection);
  }
}

/** The results of calls that have all failed with one error. */
export function failAll(calls: readonly StoreCall[], error: SerializedError): CallResult[] {
  return calls.map(([id]) => [id, null, error]);
}

/** Runs one call in the open transaction; throws what its procedure throws. */
function runCall(connection: Connection, [id, name, argument, nowMs]: StoreCall): CallResult {
  const { usesBuffers, run } = PROCEDURES[name];
  if (!usesBuffers) writeBuffers(connection);
  return [id, runAtOnce(run(connection, argument as never, nowMs)), null];
}

function writeBuffers(connection: Connection): void {
  runAtOnce(writeSums(connection));
  clearBuffers(connection);
}

/** Ends the open transaction, if there is one; never throws. */
function rollBack(connection: Connection): void {
  clearBuffers(connection);
  const { database } = connection;
  try {
    if (database.isTransaction) database.exec("rollback");
  } catch {
    // SQLite has ended the transaction itself.
  }
}
