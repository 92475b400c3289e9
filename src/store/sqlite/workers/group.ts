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

/** Characters of results that are long together: half of the longest history, and more than groups usually have. */
const LONG_CHARACTERS = 8 * 1024 * 1024;
/** Fewer are read in this time, milliseconds: short reads are not measured one by one. */
const MEASURED_MS = 1;

/** The results of a group's first calls. */
export interface ReadResults {
  readonly results: CallResult[];
  /** Whether they are long: the calls behind them wait until the main thread has taken these. */
  readonly isLong: boolean;
}

/** Runs reads in order on one snapshot until their results are long; one that throws fails alone. */
export function readGroup(connection: Connection, calls: readonly StoreCall[]): ReadResults {
  const results: CallResult[] = [];
  let measured = 0;
  let measuredMs = performance.now();
  let room = LONG_CHARACTERS;
  try {
    connection.database.exec("begin");
    for (const call of calls) {
      try {
        results.push(runCall(connection, call));
      } catch (error) {
        results.push([call[0], null, serializeError(error)]);
      }
      const nowMs = performance.now();
      if (nowMs - measuredMs < MEASURED_MS) continue;
      for (; measured < results.length; measured++) room -= countCharacters(results[measured]?.[1], room);
      if (room <= 0) break;
      measuredMs = performance.now();
    }
    return { results, isLong: room <= 0 };
  } catch (error) {
    return { results: failAll(calls, serializeError(error)), isLong: false };
  } finally {
    // Rollback instead of commit: SQLite rejects a commit after a read has met a damaged page.
    rollBack(connection);
  }
}

/** The characters of a result with the names in it, and some for each number; at least `most` once there are more. */
function countCharacters(value: unknown, most: number): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  let count = 0;
  if (Array.isArray(value) || value instanceof Map) {
    for (const each of value.values()) if ((count += countCharacters(each, most - count)) >= most) break;
  } else {
    const record = value as Readonly<Record<string, unknown>>;
    for (const name in record) count += name.length + countCharacters(record[name], most - count);
  }
  return count;
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
