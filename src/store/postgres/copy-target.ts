// PostgreSQL as the target of a copy of a whole store. One transaction writes all of it or nothing.
import type { Client } from "pg";
import type { Clock } from "../../ports/clock.ts";
import { StoreError } from "../../ports/store/store.ts";
import type { CopiedRow, CopiedTable, CopyProgress, CopySource } from "../engine/copy.ts";
import { toStoreError } from "./database/errors.ts";
import { migrate } from "./database/migrate.ts";
import { connectOnce } from "./database/pool.ts";
import { parsePostgresUrl } from "./database/url.ts";
import { encodeValue } from "./database/execute.ts";

/** Rows of one insert, and the number of characters after which it takes no further row. */
const ROWS_AT_ONCE = 1000;
const CHARACTERS_AT_ONCE = 4_000_000;

/** A copy may take long, so nothing but the wait for locks has a timeout. */
const BEGIN = `
  begin;
  set local statement_timeout = 0;
  set local idle_in_transaction_session_timeout = 0;
  set local lock_timeout = '2s'`;

/**
 * Writes a whole store into an empty database, all or nothing, and compares the number of rows of each table. Rejects
 * with a StoreError when there are rows already.
 */
export async function writeCopy(
  url: string,
  source: CopySource,
  { clock, onProgress }: { readonly clock: Clock; readonly onProgress: CopyProgress },
): Promise<void> {
  const target = parsePostgresUrl(url);
  await migrate(target, clock.nowMs());
  let client: Client | null = null;
  try {
    client = await connectOnce(target);
    await client.query(BEGIN);
    await lockEmpty(client, target, source.tables);
    // oxlint-disable-next-line no-await-in-loop -- one connection
    for (const table of source.tables) await copyTable(client, target.schema, table, onProgress);
    await client.query("commit");
  } catch (error) {
    if (error instanceof NotEmpty) throw error;
    const { message } = toStoreError(error);
    throw new StoreError(
      "failed",
      `The copy to ${target.display} failed, and nothing was stored: ${message.replace(/\.$/, "")}. Its tables are empty; repeat the copy, or remove them with: drop schema "${target.schema}" cascade`,
      { cause: error },
    );
  } finally {
    await client?.end();
  }
}

class NotEmpty extends StoreError {}

/** Locks the tables against other writers; throws when one has rows. */
async function lockEmpty(
  client: Client,
  { schema, display }: { readonly schema: string; readonly display: string },
  tables: readonly CopiedTable[],
): Promise<void> {
  const names = tables.map(({ name }) => `"${schema}"."${name}"`);
  await client.query(`lock table ${names.join(", ")} in share row exclusive mode`);
  const exists = names.map((name, index) => `exists (select 1 from ${name}) as "${index}"`);
  const { rows } = await client.query<Record<string, number>>(`select ${exists.join(", ")}`);
  const filled = tables.filter((_, index) => rows[0]?.[index] === 1).map(({ name }) => name);
  if (filled.length === 0) return;
  throw new NotEmpty(
    "failed",
    `The schema ${schema} of ${display} is not empty (${filled.join(", ")}): a store is copied only into an empty one. Name another schema with schema=NAME in the address.`,
  );
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isIdentity: boolean;
}

async function copyTable(client: Client, schema: string, table: CopiedTable, onProgress: CopyProgress): Promise<void> {
  const { name, count } = table;
  const columns = (await listColumns(client, schema, name)).filter((column) => table.columns.includes(column.name));
  const names = columns.map((column) => column.name);
  const lost = table.columns.filter((column) => column !== "rowid" && !names.includes(column));
  if (lost.length > 0) throw new StoreError("failed", `the target's ${name} has no column ${lost.join(", ")}`);
  const place = `"${schema}"."${name}"`;
  const insert = `
    insert into ${place} (${names.map((column) => `"${column}"`).join(", ")}) overriding system value
    select * from unnest(${columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(", ")})`;
  let copied = 0;
  onProgress(name, copied, count);
  for (const batch of batchesOf(table.rows(names))) {
    // oxlint-disable-next-line no-await-in-loop -- one connection
    await client.query(
      insert,
      names.map((_, index) => batch.map((row) => encodeValue(row[index]))),
    );
    copied += batch.length;
    onProgress(name, copied, count);
  }
  for (const { name: column } of columns.filter(({ isIdentity }) => isIdentity)) {
    // oxlint-disable-next-line no-await-in-loop -- one connection
    await client.query(
      `select setval(pg_get_serial_sequence('${place}', '${column}'), coalesce(max("${column}"), 1), max("${column}") is not null) from ${place}`,
    );
  }
  const { rows } = await client.query<{ count: number }>(`select count(*) as count from ${place}`);
  const arrived = rows[0]?.count;
  if (arrived !== count || copied !== count)
    throw new StoreError("failed", `${name} has ${count} rows in the source and ${arrived ?? 0} in the target`);
  await client.query(`analyze ${place}`);
}

async function listColumns(client: Client, schema: string, table: string): Promise<readonly Column[]> {
  const { rows } = await client.query<{ name: string; type: string; identity: string }>(
    `select column_name as name, data_type as type, is_identity as identity
       from information_schema.columns
      where table_schema = $1
        and table_name = $2
      order by ordinal_position`,
    [schema, table],
  );
  return rows.map(({ name, type, identity }) => ({ name, type, isIdentity: identity === "YES" }));
}

function* batchesOf(rows: Iterable<CopiedRow>): Iterable<readonly CopiedRow[]> {
  let batch: CopiedRow[] = [];
  let characters = 0;
  for (const row of rows) {
    batch.push(row);
    for (const value of row) characters += value?.length ?? 0;
    if (batch.length < ROWS_AT_ONCE && characters < CHARACTERS_AT_ONCE) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}
