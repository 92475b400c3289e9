// Migrations of indexes alone. They run outside a transaction, so that nodes of the former release write and read while
// an index is built. What an interrupted one left, an index that is not valid, is dropped and built again.
import type { ClientBase } from "pg";
import { connectOnce } from "./pool.ts";
import { renewLease } from "./schema-lease.ts";
import type { PostgresTarget } from "./url.ts";

/** A third of the lease. */
const RENEW_MS = 20_000;

const DROP = /^drop index (\w+)$/;
const CREATE = /^create (unique )?index (\w+)\s+on (\w+)\s([^]+)$/;

/**
 * The statements that make the indexes of a migration anew without keeping others from their tables. Null: it has other
 * statements than `create index` and `drop index`.
 */
export function concurrentIndexes(sql: string, schema: string): readonly string[] | null {
  const statements = sql
    .replaceAll(/^--.*$/gm, "")
    .split(/;\s*$/m)
    .map((statement) => statement.trim());
  const made = statements
    .filter((statement) => statement !== "")
    .map((statement) => {
      const drop = (name = "") => `drop index concurrently if exists "${schema}".${name}`;
      const [dropped, former] = DROP.exec(statement) ?? [];
      if (dropped !== undefined) return [drop(former)];
      const [created, unique = "", name, table, rest] = CREATE.exec(statement) ?? [];
      if (created === undefined) return null;
      return [drop(name), `create ${unique}index concurrently ${name} on "${schema}".${table} ${rest}`];
    });
  return made.includes(null) ? null : made.flatMap((each) => each ?? []);
}

/**
 * Runs statements of `concurrentIndexes` and keeps the lease meanwhile, over a connection of its own. Whoever takes the
 * lease from a process that stood still waits in the same statements, which exclude each other.
 */
export async function buildIndexes(
  client: ClientBase,
  target: PostgresTarget,
  { holder, statements }: { readonly holder: string; readonly statements: readonly string[] },
): Promise<void> {
  const keeper = await connectOnce(target);
  // A lease that cannot be renewed is found lost at the end.
  const renewing = setInterval(() => void keep(keeper, target.schema, holder), RENEW_MS);
  try {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    for (const statement of statements) await client.query(statement);
  } finally {
    clearInterval(renewing);
    await keeper.end();
  }
}

async function keep(keeper: ClientBase, schema: string, holder: string): Promise<void> {
  try {
    await renewLease(keeper, schema, holder);
  } catch {}
}
