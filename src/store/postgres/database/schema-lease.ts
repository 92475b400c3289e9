// The tables that the migrations of a schema need themselves: what has run, and the lease of the node that migrates.
import pg, { type ClientBase } from "pg";
import { IDLE_TRANSACTION_MS } from "./pool.ts";
import type { PostgresTarget } from "./url.ts";

/** A node that dies during a migration blocks the others for this long. Each migration renews the lease. */
export const LEASE = "interval '60 seconds'";
/** While a migration waits for a lock, or its process stands still, other transactions wait behind it. */
export const TIMEOUTS = `set local lock_timeout = '1s'; set local idle_in_transaction_session_timeout = ${IDLE_TRANSACTION_MS}`;

/** Takes the lease of the schema, which is created if it does not exist. False: another node holds it. */
export async function takeLease(client: ClientBase, schema: string, holder: string): Promise<boolean> {
  try {
    const { rows } = await client.query<{ has: boolean }>(
      "select to_regclass($1 || '.schema_lease') is not null as has",
      [schema],
    );
    if (!rows[0]?.has)
      await client.query(`
        create schema if not exists "${schema}";
        create table if not exists "${schema}".schema_version (
          version       integer primary key,
          name          text    not null,
          applied_at_ms bigint  not null,
          checksum      text    not null,
          ${COMPATIBLE}
        );
        create table if not exists "${schema}".schema_lease (
          "only"     integer     primary key check ("only" = 1),
          holder     text        not null,
          expires_at timestamptz not null
        )`);
    const { rowCount } = await client.query(
      `insert into "${schema}".schema_lease as lease ("only", holder, expires_at)
       values (1, $1, clock_timestamp() + ${LEASE})
           on conflict ("only") do update
          set holder     = excluded.holder,
              expires_at = excluded.expires_at
        where lease.expires_at < clock_timestamp()
           or lease.holder = excluded.holder`,
      [holder],
    );
    return rowCount === 1;
  } catch (error) {
    // Two nodes created the schema at the same moment: the later one tries again.
    if (isOneOf(error, CREATED_TWICE)) return false;
    throw error;
  }
}

/** In a database of before there were marks, a migration counts as not compatible. */
const COMPATIBLE = "compatible integer not null default 0 check (compatible in (0, 1))";
/** Unique violation, and "already exists" of a schema, a table or a type. */
const CREATED_TWICE = ["23505", "42P06", "42P07", "42710"];
/** A lock was not granted in time, or a deadlock was broken. */
const LOCKED = ["55P03", "40P01"];

/** A schema of before there were marks gets their column. */
export async function addMarks(client: ClientBase, target: PostgresTarget): Promise<void> {
  if (await hasMarks(client, target)) return;
  const alter = `alter table "${target.schema}".schema_version add column if not exists ${COMPATIBLE}`;
  await client.query(`begin; ${TIMEOUTS}; ${alter}; commit`);
}

/** Whether the table of migrations has their marks. */
export async function hasMarks(client: ClientBase, { schema }: PostgresTarget): Promise<boolean> {
  const { rows } = await client.query(
    "select 1 from information_schema.columns where table_schema = $1 and table_name = 'schema_version' and column_name = 'compatible'",
    [schema],
  );
  return rows.length > 0;
}

/** Whether an error is a lock that was not granted in time, or a deadlock that was broken: it may be tried again. */
export function isLocked(error: unknown): boolean {
  return isOneOf(error, LOCKED);
}

function isOneOf(error: unknown, codes: readonly string[]): boolean {
  return error instanceof pg.DatabaseError && codes.includes(error.code ?? "");
}
