// The tables of a service's database, through a connection of the test's own, on either engine.
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import type { DatabaseConfig } from "../../src/config/database-url.ts";
import { listMigrations } from "../../src/store/postgres/database/migrate.ts";
import { createTranslate, listTables } from "../../src/store/postgres/database/translate.ts";
import { parsePostgresUrl } from "../../src/store/postgres/database/url.ts";
import { RESULT_TYPES } from "../../src/store/postgres/database/execute.ts";

/** A service, as far as its database is concerned. */
interface Stored {
  readonly database: DatabaseConfig;
}

type Row = Readonly<Record<string, unknown>>;
type Parameters = Readonly<Record<string, string | number | null>>;
export type Tables = Readonly<Record<string, readonly Row[]>>;

/** Every row of every table in the order of their insertion, integers as bigints. */
export function dumpTables({ database }: Stored): Promise<Tables> {
  return database.engine === "sqlite" ? dumpSqlite(database.location) : dumpPostgres(database.location);
}

/** The same without what tells people of a failed request and is stored beside it: events of rejected turns, sums of failures. */
export async function dumpWithoutNotices(stored: Stored): Promise<Tables> {
  const { event_head: _head, failures_by_hour: _failures, events = [], ...tables } = await dumpTables(stored);
  return { ...tables, events: events.filter(({ type }) => !String(type).endsWith(".rejected")) };
}

/**
 * Runs one statement without the service's knowledge; resolves to its rows. It is written in SQLite's spelling, as the
 * store's own are, with named parameters.
 */
export async function runSql({ database }: Stored, sql: string, parameters: Parameters = {}): Promise<readonly Row[]> {
  if (database.engine === "sqlite")
    return withSqlite(database.location, (connection) => connection.prepare(sql).all(parameters));
  const { text, names } = translate({ kind: "many", sql });
  const values = names.map((name) => parameters[name]);
  return withPostgres(database.location, async (client) => (await client.query<Row>(text, values)).rows);
}

function withSqlite<Result>(path: string, look: (connection: DatabaseSync) => Result): Result {
  const connection = new DatabaseSync(path, { timeout: 5000 });
  try {
    return look(connection);
  } finally {
    connection.close();
  }
}

async function dumpSqlite(path: string): Promise<Tables> {
  return withSqlite(path, (connection) => {
    const names = connection
      .prepare(
        "select name, wr from pragma_table_list where schema = 'main' and name not like 'sqlite_%' order by name",
      )
      .all();
    return Object.fromEntries(
      names.map(({ name, wr: hasNoRowid }) => {
        const order = hasNoRowid === 1 ? "1, 2" : "rowid";
        const statement = connection.prepare(`select * from "${String(name)}" order by ${order}`);
        statement.setReadBigInts(true);
        return [String(name), statement.all().map((row) => ({ ...row }))];
      }),
    );
  });
}

const SCHEMA = "turngate";
const translate = createTranslate(SCHEMA, listTables(listMigrations()));
const INTEGERS: ReadonlySet<number> = new Set([20, 21, 23]);
const EXACT: pg.CustomTypesConfig = { getTypeParser: (type: number) => (INTEGERS.has(type) ? BigInt : String) };

async function withPostgres<Result>(url: string, look: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ ...parsePostgresUrl(url).connection, types: RESULT_TYPES });
  await client.connect();
  try {
    // For commands whose tables `translate` does not know.
    await client.query(`set search_path = ${SCHEMA}`);
    return await look(client);
  } finally {
    await client.end();
  }
}

/** The first column of a table is its number, in the order of insertion, or a part of its key. */
function dumpPostgres(url: string): Promise<Tables> {
  return withPostgres(url, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      "select tablename as name from pg_tables where schemaname = $1 order by 1",
      [SCHEMA],
    );
    const dumped = tables.map(async ({ name }) => {
      const text = `select * from "${SCHEMA}"."${name}" as t order by 1, t::text`;
      return [name, (await client.query<Row>({ text, types: EXACT })).rows] as const;
    });
    return Object.fromEntries(await Promise.all(dumped));
  });
}
