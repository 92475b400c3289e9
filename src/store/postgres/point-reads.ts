// Reads of a few rows by key. A procedure with a single statement needs no transaction. Those of the same turn of the event
// loop share a connection, and executions of the same statement are sent as one (batch.ts).
import type { Pool, PoolClient } from "pg";
import type { Query, Steps } from "../engine/transaction.ts";
import { createBatch } from "./batch.ts";
import { endsConnection, toStoreError } from "./database/errors.ts";
import type { Execute } from "./database/execute.ts";
import type { Merge } from "./database/merge.ts";
import { createGroups } from "./group.ts";
import { drive } from "./sender.ts";

/** A call of a procedure that reads; `start` begins it anew each time. */
export interface PointRead {
  /** The procedure's. */
  readonly name: string;
  readonly start: () => Steps<unknown>;
}

/**
 * Creates the function that runs point reads. `attempt` runs work on a connection, again if it was lost; `readSnapshot`
 * runs what needs several statements.
 */
export function createPointReads(parts: {
  readonly pool: Pick<Pool, "connect">;
  readonly execute: Execute;
  readonly merge: Merge;
  readonly waitMaxMs: number;
  readonly attempt: (work: (client: PoolClient) => Promise<unknown>) => Promise<unknown>;
  readonly readSnapshot: (start: PointRead["start"]) => Promise<unknown>;
}): (read: PointRead) => Promise<unknown> {
  const { pool, execute, merge, readSnapshot } = parts;
  /** Procedures that have needed more than one statement. */
  const needSnapshot = new Set<string>();

  const run = async ({ name, start }: PointRead, send: (query: Query) => unknown): Promise<unknown> => {
    let statements = 0;
    try {
      return await drive(start(), (query) => {
        if (++statements > 1) throw new NeedsSnapshot();
        return send(query);
      });
    } catch (error) {
      if (!(error instanceof NeedsSnapshot)) throw error;
      needSnapshot.add(name);
      return NEEDS_SNAPSHOT;
    }
  };
  const finish = ({ start }: PointRead, result: unknown) => (result === NEEDS_SNAPSHOT ? readSnapshot(start) : result);
  /** Runs work on a connection and releases it. */
  const release = async <T>(client: PoolClient, work: Promise<T>): Promise<T> => {
    try {
      const result = await work;
      client.release();
      return result;
    } catch (error) {
      client.release(endsConnection(error));
      throw error;
    }
  };
  const runTogether = async (reads: readonly PointRead[]): Promise<readonly unknown[] | null> => {
    const client = await pool.connect().catch((error: unknown) => {
      throw toStoreError(error);
    });
    const batch = createBatch({
      canMerge: merge.canMerge,
      sendOne: (query) => execute(client, query),
      sendMerged: (statement, parameters) => merge.execute(client, statement, parameters),
    });
    const results = reads.map((read, member) => run(read, (query) => batch.execute(member, query)));
    batch.flush();
    const found = await release(client, Promise.all(results)).catch(() => null);
    // When one fails each runs alone.
    return found && reads.map((read, member) => finish(read, found[member]));
  };
  const runAlone = async (read: PointRead): Promise<unknown> => {
    const result = await parts.attempt((client) =>
      release(
        client,
        run(read, (query) => execute(client, query)),
      ),
    );
    return finish(read, result);
  };
  const together = createGroups(runTogether, runAlone, parts.waitMaxMs);
  return (read) => (needSnapshot.has(read.name) ? readSnapshot(read.start) : together(read));
}

/** Ends a point read at its second statement. */
class NeedsSnapshot extends Error {}

/** The result of a point read that needs several statements, and so a snapshot. */
const NEEDS_SNAPSHOT = Symbol("needs a snapshot");
