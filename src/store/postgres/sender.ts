// Sends the statements of a procedure (engine/transaction.ts) over one connection, and its COMMIT.
import type { PoolClient, QueryResult } from "pg";
import type { Query, StatementKind, Steps } from "../engine/transaction.ts";
import { CommitUnanswered } from "./database/commit-outcome.ts";
import { endsConnection } from "./database/errors.ts";
import type { Execute } from "./database/execute.ts";

/** Yields a statement to the function that drives the procedure, and returns the result that it passes back. */
export function* queryFor(
  statement: Query["statement"],
  parameters: Query["parameters"],
): Generator<Query, unknown, unknown> {
  return yield { statement, parameters };
}

/** Runs steps to their end, waiting for each query. An error of a query ends them. */
export async function drive<Result>(steps: Steps<Result>, execute: (query: Query) => unknown): Promise<Result> {
  const iterator = steps[Symbol.iterator]();
  let step = iterator.next();
  while (step.done !== true) {
    let result: unknown;
    try {
      const reply = execute(step.value);
      // Without a result the procedure goes on at once: nothing else happens meanwhile.
      // oxlint-disable-next-line no-await-in-loop -- each statement may depend on the result of the one before
      result = reply instanceof Promise ? await reply : undefined;
    } catch (error) {
      iterator.return?.();
      throw error;
    }
    step = iterator.next(result);
  }
  return step.value;
}

/** How many statements may be sent before the reply to the first of them has come. */
const UNANSWERED_MAX = 256;

/**
 * Sends the statements of one transaction in their order, its BEGIN before the first. A statement without a result is
 * not waited for: the ones behind it fail with it, and its error comes before theirs.
 */
export function createSender(client: PoolClient, execute: Execute, begin: string) {
  let begun: Promise<QueryResult> | null = null;
  let unanswered: Promise<unknown>[] = [];
  const leave = (reply: Promise<unknown>): void => {
    // The error is thrown where the replies are awaited; until then it must not count as unhandled.
    reply.catch(ignore);
    unanswered.push(reply);
  };
  /** Sends a statement: a promise of its result, or undefined if nothing has to be waited for. */
  const send = <Result>(kind: StatementKind, start: () => Promise<Result>): Promise<Result> | undefined => {
    if (begun === null) {
      begun = client.query(begin);
      leave(begun);
    }
    const reply = start();
    if ((kind === "write" || kind === "lock") && unanswered.length < UNANSWERED_MAX) {
      leave(reply);
      return undefined;
    }
    const before = unanswered;
    unanswered = [];
    return Promise.all([...before, reply]).then(() => reply);
  };
  return {
    hasBegun: () => begun !== null,
    send,
    execute: (query: Query) => send(query.statement.kind, () => execute(client, query)),
    /**
     * Sends COMMIT behind the last statements: if one of them fails, PostgreSQL rolls back instead. Rejects with
     * CommitUnanswered when the connection was lost meanwhile.
     */
    async commit(): Promise<void> {
      if (begun === null) return;
      // Known before COMMIT is sent: the reply may be lost.
      const number = numberOf(await begun);
      const committed = client.query("commit");
      try {
        await Promise.all([...unanswered, committed]);
      } catch (error) {
        committed.catch(ignore);
        throw endsConnection(error) ? new CommitUnanswered(client, number, error) : error;
      }
    },
  };
}

/** The transaction's number, from the results of the commands that began it. */
function numberOf(results: QueryResult | QueryResult<{ number: string }>[]): string {
  const number = Array.isArray(results) ? results.at(-1)?.rows[0]?.number : undefined;
  if (number === undefined) throw new Error("A transaction that writes has not learned its number.");
  return number;
}

export type Sender = ReturnType<typeof createSender>;

function ignore(): void {}
