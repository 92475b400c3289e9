// Group commit: operations that wait together share one transaction and one flush to disk; each is all or nothing by itself.
import { type Answer, answerError, type Call } from "./calls.ts";
import type { Connection } from "../database/connection.ts";
import { carryError, isDamage } from "../database/errors.ts";
import { OPERATIONS } from "../operations.ts";

/**
 * Runs calls in one transaction, in their order, and answers them in that order, after it is on disk. An operation that throws is
 * rolled back alone. When the transaction itself fails, no call has changed anything and each has its error.
 */
export function runGroup(connection: Connection, calls: readonly Call[]): Answer[] {
  // Operations hardly ever throw, and a savepoint costs each a copy of every page it touches: the first try goes without.
  return (
    attempt(connection, calls, runTogether) ??
    attempt(connection, calls, runApart) ??
    calls.flatMap((call) => attempt(connection, [call], runAll) ?? [])
  );
}

type Runner = (connection: Connection, calls: readonly Call[]) => Answer[] | null;

/** One transaction around a runner; null when the runner gave up, with everything rolled back. */
function attempt(connection: Connection, calls: readonly Call[], runner: Runner): Answer[] | null {
  const { database } = connection;
  let committing = false;
  try {
    database.exec("begin immediate");
    const answers = runner(connection, calls);
    if (answers === null) {
      rollBack(connection);
      return null;
    }
    committing = true;
    database.exec("commit");
    return answers;
  } catch (error) {
    const carried = carryError(error, committing);
    rollBack(connection);
    return calls.map((call) => answerError(call, carried));
  }
}

function runAll(connection: Connection, calls: readonly Call[]): Answer[] {
  return calls.map((call) => runCall(connection, call));
}

function runTogether(connection: Connection, calls: readonly Call[]): Answer[] | null {
  try {
    return runAll(connection, calls);
  } catch {
    return null;
  }
}

/** Gives up when one meets a damaged page: SQLite then commits nothing of the others either. */
function runApart(connection: Connection, calls: readonly Call[]): Answer[] | null {
  const answers: Answer[] = [];
  for (const call of calls) {
    const answer = runInSavepoint(connection, call);
    if (answer === null) return null;
    answers.push(answer);
  }
  return answers;
}

function runInSavepoint(connection: Connection, call: Call): Answer | null {
  const { database } = connection;
  database.exec("savepoint operation");
  try {
    const answer = runCall(connection, call);
    database.exec("release operation");
    return answer;
  } catch (error) {
    // A full disk and the like end the whole transaction: there is nothing left to go on with.
    if (!database.isTransaction) throw error;
    if (isDamage(error)) return null;
    database.exec("rollback to operation");
    database.exec("release operation");
    return answerError(call, carryError(error));
  }
}

/** Runs one call inside whatever transaction is open; throws what its operation throws. */
export function runCall(connection: Connection, { id, name, sent, nowMs }: Call): Answer {
  return { id, answered: OPERATIONS[name].run(connection, sent as never, nowMs), error: null };
}

/** Ends the transaction that is open, if one still is; never throws. */
export function rollBack({ database }: Connection): void {
  try {
    if (database.isTransaction) database.exec("rollback");
  } catch {
    // SQLite has ended the transaction by itself.
  }
}
