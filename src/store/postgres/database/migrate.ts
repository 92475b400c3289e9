// Migrates a PostgreSQL database to this version's schema. Several nodes may start at once: the one that holds the
// lease, which is a row, runs the migrations, each in its own transaction (but see index-builds.ts); the others wait. An
// advisory lock would not do: it belongs to a session, which a pooler may give to another client.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg, { type ClientBase } from "pg";
import { installation } from "../../../installation/installation.ts";
import { LaterSchema, StoreError } from "../../../ports/store/store.ts";
import {
  type AppliedMigration,
  checkApplied,
  type Migration,
  type MigrationPlan,
  newestOf,
  type StopOthers,
  planOf,
  readMigrations,
} from "../../engine/migrations.ts";
import { isMisconfigured, toStoreError } from "./errors.ts";
import { buildIndexes, concurrentIndexes } from "./index-builds.ts";
import { connectOnce } from "./pool.ts";
import {
  hasMarks,
  isLocked,
  listLiveNodes,
  type LiveNode,
  readAwaited,
  releaseLease,
  renewLease,
  stopOthers,
  takeLease,
  TIMEOUTS,
} from "./schema-lease.ts";
import type { PostgresTarget } from "./url.ts";

/** PostgreSQL 14, as `server_version_num` counts. */
const VERSION_MIN = 140_000;

const WAIT_MS = 200;
/** How often a node waits for another one's migrations, or a migration for the locks that it needs. */
const WAITS_MAX = 600;

/** This version's migrations, oldest first. */
export function listMigrations(): readonly Migration[] {
  return readMigrations(installation.migrations.postgres);
}

/**
 * Creates the schema, or runs the migrations that it lacks. Rejects with a StoreError whose message is for the
 * operator: the server is unreachable (`unavailable`) or too old, or the schema belongs to another application, was
 * written by a later version, or has run a migration that was changed since (`failed`). So does a migration that is not
 * compatible with nodes that serve on the schema; with `stopping` they are asked to stop, and the migration waits for
 * them.
 */
export async function migrate(
  target: PostgresTarget,
  nowMs: number,
  stopping: StopOthers | null = null,
): Promise<void> {
  let client: pg.Client | null = null;
  try {
    client = await connectOnce(target);
    assertServer(await readServer(client));
    await applyMissing(client, target, { nowMs, stopping });
  } catch (error) {
    throw openError(error, target);
  } finally {
    await client?.end();
  }
}

interface Server {
  readonly version: number;
  readonly name: string;
  readonly encoding: string;
}

async function readServer(client: ClientBase): Promise<Server> {
  const { rows } = await client.query<Server>(`
    select current_setting('server_version_num')::integer as version,
           current_setting('server_version')              as name,
           current_setting('server_encoding')             as encoding`);
  const [server] = rows;
  if (server === undefined) throw new StoreError("failed", "it does not report its version");
  return server;
}

/** Throws a StoreError (`failed`) when the store cannot use a server. */
export function assertServer({ version, name, encoding }: Server): void {
  if (version < VERSION_MIN)
    throw new StoreError("failed", `PostgreSQL ${name} is too old; the store needs version 14 or later`);
  if (encoding !== "UTF8")
    throw new StoreError("failed", `its encoding is ${encoding}; the store needs a database with UTF8`);
}

async function applyMissing(
  client: ClientBase,
  target: PostgresTarget,
  { nowMs, stopping }: { readonly nowMs: number; readonly stopping: StopOthers | null },
): Promise<void> {
  const { schema } = target;
  const known = listMigrations();
  const holder = randomUUID();
  /** The leases of the other nodes when they were seen first, by id. */
  const leases = new Map<string, number>();
  let askedMs: number | null = null;
  // oxlint-disable no-await-in-loop -- one step after the other
  for (let waits = 0; waits < WAITS_MAX; waits++) {
    const { missing } = planOf(await readApplied(client, target, known), known);
    if (missing.length === 0 && (await hasMarks(client, schema))) return;
    if (await takeLease(client, schema, holder)) {
      const nodes = missing.every(({ compatible }) => compatible) ? [] : await listLiveNodes(client, schema);
      if (nodes.length === 0) {
        if (await applyAll(client, target, { known, holder, nowMs })) return;
      } else if (stopping !== null) {
        askedMs ??= performance.now();
        if (waits === 0) stopping.onWait(nodes.map(({ name }) => name));
        if (performance.now() - askedMs > stopping.withinMs) {
          await releaseLease(client, schema, holder);
          throw stillServed(nodes, stopping);
        }
        await stopOthers(client, schema, holder, newestOf(known));
        waits = 0;
      } else if (nodes.some(({ id, leaseUntilMs }) => leaseUntilMs > (leases.get(id) ?? leaseUntilMs))) {
        await releaseLease(client, schema, holder);
        throw servedOn(nodes, missing);
      }
      // A node that was killed does not renew its lease, which ends soon.
      for (const { id, leaseUntilMs } of nodes) if (!leases.has(id)) leases.set(id, leaseUntilMs);
    }
    await sleep(WAIT_MS);
  }
  // oxlint-enable no-await-in-loop
  throw new StoreError("unavailable", "another process is migrating it, or does not release a lock on its tables");
}

function servedOn(nodes: readonly LiveNode[], missing: readonly Migration[]): StoreError {
  const names = missing.filter(({ compatible }) => !compatible).map(({ name }) => name);
  return new StoreError(
    "failed",
    `nodes of a former release serve on it: ${nodes.map(({ name }) => name).join(", ")}. They cannot serve after ${names.join(", ")}: stop them first, or run \`turngate migrate --stop-others\`, which asks them to stop`,
  );
}

function stillServed(nodes: readonly LiveNode[], { withinMs }: StopOthers): StoreError {
  return new StoreError(
    "failed",
    `nodes of a former release have not stopped within ${withinMs / 1000} seconds: ${nodes.map(({ name }) => name).join(", ")}. Nothing was migrated: stop them, and try again`,
  );
}

/** What `migrate` would do. Changes nothing; rejects as `migrate` does when the server or the schema cannot be used. */
export async function planMigration(client: ClientBase, target: PostgresTarget): Promise<MigrationPlan> {
  assertServer(await readServer(client));
  const known = listMigrations();
  return planOf(await readApplied(client, target, known), known);
}

/**
 * The migrations that the schema has run, oldest first. Throws a StoreError (`failed`) when it is not this version's.
 */
async function readApplied(
  client: ClientBase,
  { schema, display }: PostgresTarget,
  known: readonly Migration[],
): Promise<readonly AppliedMigration[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname::text as name
       from pg_class c
       join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $1
        and c.relkind in ('r', 'p', 'v', 'm', 'f')`,
    [schema],
  );
  const names = new Set(rows.map(({ name }) => name));
  if (!names.has("schema_version")) {
    names.delete("schema_lease");
    if (names.size > 0) throw foreign(schema);
    return [];
  }
  const applied = await listApplied(client, schema);
  checkApplied(display, applied, known);
  const [awaited, newest] = [await readAwaited(client, schema), newestOf(known)];
  if (awaited > newest) {
    throw new LaterSchema(
      "failed",
      `a later version (schema ${awaited}; this version knows ${newest}) is about to migrate it: run that version`,
    );
  }
  return applied;
}

/** The migrations that a schema has run, oldest first. */
export async function listApplied(client: ClientBase, schema: string): Promise<readonly AppliedMigration[]> {
  try {
    // A schema of before there were marks has no column for them.
    const { rows } = await client.query<Omit<AppliedMigration, "compatible"> & { compatible: number }>(
      `select version, name, checksum, coalesce((to_jsonb(applied) ->> 'compatible')::integer, 0) as compatible
         from "${schema}".schema_version as applied
        order by version`,
    );
    return rows.map((row) => ({ ...row, compatible: row.compatible === 1 }));
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === UNDEFINED_COLUMN) throw foreign(schema);
    throw error;
  }
}

const UNDEFINED_COLUMN = "42703";

function foreign(schema: string): StoreError {
  return new StoreError(
    "failed",
    `its schema ${schema} belongs to another application; name another one with schema=NAME in the address`,
  );
}

interface Work {
  readonly known: readonly Migration[];
  readonly holder: string;
  readonly nowMs: number;
}

/** Runs the missing migrations; false when the lease or a lock was lost before the last one. */
async function applyAll(client: ClientBase, target: PostgresTarget, work: Work): Promise<boolean> {
  try {
    for (const migration of work.known) {
      // oxlint-disable-next-line no-await-in-loop -- each builds on the one before
      if (!(await applyOne(client, target, migration, work))) return false;
    }
    await releaseLease(client, target.schema, work.holder);
    return true;
  } catch (error) {
    if (isLocked(error)) return false;
    throw error;
  }
}

/** Runs one migration unless it has run; false when another node has taken the lease or joined meanwhile. */
async function applyOne(
  client: ClientBase,
  target: PostgresTarget,
  { version, name, sql, checksum, compatible }: Migration,
  { holder, nowMs }: Work,
): Promise<boolean> {
  const { schema } = target;
  const hasRun = async (): Promise<boolean> =>
    (await client.query(`select 1 from "${schema}".schema_version where version = $1`, [version])).rows.length > 0;
  const statements = compatible ? concurrentIndexes(sql, schema) : null;
  if (statements !== null && !(await hasRun())) {
    if (!(await renewLease(client, schema, holder))) return false;
    await buildIndexes(client, target, { holder, statements });
  }
  await client.query(`begin; ${TIMEOUTS}; set local search_path = "${schema}"`);
  try {
    // The row stays locked until the commit: no other node can take the lease while this migration runs.
    const isHolder = await renewLease(client, schema, holder);
    const isDue = isHolder && !(await hasRun());
    if (isDue && !compatible && (await listLiveNodes(client, schema, { locks: true })).length > 0) {
      await client.query("rollback");
      return false;
    }
    if (isDue) {
      if (statements === null) await client.query(sql);
      await client.query(
        "insert into schema_version (version, name, applied_at_ms, checksum, compatible) values ($1, $2, $3, $4, $5)",
        [version, name, nowMs, checksum, compatible ? 1 : 0],
      );
    }
    await client.query("commit");
    return isHolder;
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

/** The error on opening a database, with its address without user and password. */
export function openError(error: unknown, { display }: PostgresTarget): StoreError {
  const { message, ...rest } = toStoreError(error);
  const kind = isMisconfigured(error) || !("kind" in rest) ? "failed" : rest.kind;
  const names = message.includes(display);
  const full = names ? message : `The database ${display} cannot be opened: ${message.replace(/\.$/, "")}.`;
  const Shown = error instanceof LaterSchema ? LaterSchema : StoreError;
  return new Shown(kind, full, { cause: error });
}
