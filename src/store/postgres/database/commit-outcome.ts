// Finds out whether a transaction was committed when the reply to its COMMIT was lost. The server knows that by the
// number of the transaction, which the transaction has learned at its begin.
import { setTimeout as sleep } from "node:timers/promises";
import type { ClientBase, Pool } from "pg";
import { StoreError, UnconfirmedWrite } from "../../../ports/store/store.ts";

/** The last of the commands that begin a transaction: its number. */
export const SELECT_NUMBER = "select pg_current_xact_id()::text as number";

/**
 * Differs between two runs of the server. After a crash it may assign the number of a lost transaction again. The crash
 * of one of its processes makes it recover without a new start, and resets its statistics.
 */
const SERVER_RUN =
  "pg_postmaster_start_time()::text || ' ' || coalesce((select stats_reset::text from pg_stat_bgwriter), '')";

/** How long the outcome is asked for, milliseconds. A COMMIT that has arrived is mostly done by the first question. */
const ASK_MS = 2000;
const PAUSE_MS = 50;

const serverRuns = new WeakMap<ClientBase, Promise<string | null>>();

/** Reads which run of the server a new connection belongs to. */
export function noteServerRun(client: ClientBase): void {
  const reading = client.query<{ run: string }>(`select ${SERVER_RUN} as run`);
  serverRuns.set(
    client,
    reading.then(
      ({ rows }) => rows[0]?.run ?? null,
      () => null,
    ),
  );
}

/** The connection was lost between COMMIT and its reply. */
export class CommitUnanswered extends StoreError {
  /** The number of the transaction. */
  readonly number: string;
  readonly serverRun: Promise<string | null>;

  constructor(client: ClientBase, number: string, cause: unknown) {
    super("unavailable", "The connection to PostgreSQL was lost during a commit.", { cause });
    this.number = number;
    this.serverRun = serverRuns.get(client) ?? Promise.resolve(null);
  }
}

/**
 * Resolves when the transaction was committed. Rejects with the connection's error when it was rolled back, and with an
 * UnconfirmedWrite when neither is known in time: the server is out of reach, has crashed, or still waits for COMMIT.
 */
export async function confirmCommit(pool: Pool, unanswered: CommitUnanswered): Promise<void> {
  const serverRun = await unanswered.serverRun;
  const untilMs = serverRun === null ? 0 : performance.now() + ASK_MS;
  while (performance.now() < untilMs) {
    // oxlint-disable-next-line no-await-in-loop -- asked until it is known
    const found = await readStatus(pool, unanswered.number);
    if (found !== null && found.run !== serverRun) break;
    if (found?.status === "committed") return;
    if (found?.status === "aborted") throw unanswered.cause;
    // oxlint-disable-next-line no-await-in-loop -- as above
    await sleep(PAUSE_MS);
  }
  throw new UnconfirmedWrite("The connection to PostgreSQL was lost during a commit.", { cause: unanswered.cause });
}

/** Null while the server cannot be asked. */
async function readStatus(pool: Pool, number: string): Promise<{ status: string; run: string } | null> {
  const sql = `select pg_xact_status($1::text::xid8) as status, ${SERVER_RUN} as run`;
  const found = await pool.query<{ status: string; run: string }>(sql, [number]).catch(() => null);
  return found?.rows[0] ?? null;
}
