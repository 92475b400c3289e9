// The tables that the migrations of a schema need themselves: what has run, and the lease of the node that migrates.
import pg, { type ClientBase } from "pg";
import { IDLE_TRANSACTION_MS } from "./pool.ts";

/** A node that dies during a migration blocks the others for this long. Each migration renews the lease. */
const LEASE = "interval '60 seconds'";
/** While a migration waits for a lock, or its process stands still, other transactions wait behind it. */
export const TIMEOUTS = `set local lock_timeout = '1s'; set local idle_in_transaction_session_timeout = ${IDLE_TRANSACTION_MS}`;

/** Takes the lease of the schema, which is created if it does not exist. False: another node holds it. */
export async function takeLease(client: ClientBase, schema: string, holder: string): Promise<boolean> {
  try {
    const { rows } = await client.query<{ has: boolean }>(
      "select to_regclass($1 || '.schema_lease') is not null as has",
      [schema],
    );
    if (rows[0]?.has) await addMarks(client, schema);
    else
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
          expires_at timestamptz not null,
          ${AWAITS}
        )`);
    const { rowCount } = await client.query(
      `insert into "${schema}".schema_lease as lease ("only", holder, expires_at)
       values (1, $1, clock_timestamp() + ${LEASE})
           on conflict ("only") do update
          set awaits     = case when lease.holder = excluded.holder then lease.awaits end,
              holder     = excluded.holder,
              expires_at = excluded.expires_at
        where lease.expires_at < clock_timestamp()
           or lease.holder = excluded.holder`,
      [holder],
    );
    return rowCount === 1;
  } catch (error) {
    // Two nodes created the schema at the same moment: the later one tries again.
    if (isOneOf(error, CREATED_TWICE) || isLocked(error)) return false;
    throw error;
  }
}

/** In a database of before there were marks, a migration counts as not compatible. */
const COMPATIBLE = "compatible integer not null default 0 check (compatible in (0, 1))";
/** The version of the schema that its holder migrates to as soon as no other node serves on it; null: it does not wait. */
const AWAITS = "awaits integer";
/** Unique violation, and "already exists" of a schema, a table or a type. */
const CREATED_TWICE = ["23505", "42P06", "42P07", "42710"];
/** A lock was not granted in time, or a deadlock was broken. */
const LOCKED = ["55P03", "40P01"];

/** A schema of before there were marks gets their column, and `awaits`. */
async function addMarks(client: ClientBase, schema: string): Promise<void> {
  if (await hasMarks(client, schema)) return;
  try {
    await client.query(`
      begin;
      ${TIMEOUTS};
      alter table "${schema}".schema_version add column if not exists ${COMPATIBLE};
      alter table "${schema}".schema_lease add column if not exists ${AWAITS};
      commit`);
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

/** Whether the tables have the columns that `addMarks` adds. */
export async function hasMarks(client: ClientBase, schema: string): Promise<boolean> {
  const { rows } = await client.query(
    `select 1
       from information_schema.columns
      where table_schema = $1
        and (table_name, column_name) in (('schema_version', 'compatible'), ('schema_lease', 'awaits'))`,
    [schema],
  );
  return rows.length === 2;
}

/** The version of the schema that another node waits to migrate to; 0: none does. */
export async function readAwaited(client: ClientBase, schema: string): Promise<number> {
  const { rows } = await client.query<{ awaits: number }>(
    `select coalesce((to_jsonb(lease) ->> 'awaits')::integer, 0) as awaits
       from "${schema}".schema_lease as lease
      where expires_at > clock_timestamp()`,
  );
  return rows[0]?.awaits ?? 0;
}

/** Asks the nodes that do not know this version of the schema to stop, as long as the lease is held. */
export async function stopOthers(client: ClientBase, schema: string, holder: string, version: number): Promise<void> {
  await client.query(`update "${schema}".schema_lease set awaits = $2 where holder = $1`, [holder, version]);
}

/** Renews the lease; false: this holder has lost it. In a transaction its row stays locked until the end. */
export async function renewLease(client: ClientBase, schema: string, holder: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `update "${schema}".schema_lease set expires_at = clock_timestamp() + ${LEASE} where holder = $1`,
    [holder],
  );
  return rowCount === 1;
}

export async function releaseLease(client: ClientBase, schema: string, holder: string): Promise<void> {
  await client.query(`delete from "${schema}".schema_lease where holder = $1`, [holder]);
}

/** A node that serves on the schema, or may: its lease is not over. */
export interface LiveNode {
  readonly id: string;
  /** Host, process and version of its program. */
  readonly name: string;
  /** Milliseconds since 1970, by the database's clock. */
  readonly leaseUntilMs: number;
}

/** The nodes that serve on the schema. With `locks` none can join or renew its lease until the transaction ends. */
export async function listLiveNodes(
  client: ClientBase,
  schema: string,
  { locks = false }: { locks?: boolean } = {},
): Promise<readonly LiveNode[]> {
  const { rows } = await client.query<{ has: boolean }>("select to_regclass($1) is not null as has", [
    `"${schema}".nodes`,
  ]);
  if (!rows[0]?.has) return [];
  if (locks) await client.query(`lock table "${schema}".nodes in share row exclusive mode`);
  const { rows: nodes } = await client.query<LiveNode>(
    `select id::text                         as id,
            name || ' (' || version || ')'   as name,
            lease_until_ms::double precision as "leaseUntilMs"
       from "${schema}".nodes
      where gone_at_ms is null
        and lease_until_ms > extract(epoch from clock_timestamp()) * 1000
      order by started_at_ms, id`,
  );
  return nodes;
}

/** Whether an error is a lock that was not granted in time, or a deadlock that was broken: it may be tried again. */
export function isLocked(error: unknown): boolean {
  return isOneOf(error, LOCKED);
}

function isOneOf(error: unknown, codes: readonly string[]): boolean {
  return error instanceof pg.DatabaseError && codes.includes(error.code ?? "");
}
