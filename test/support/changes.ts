// Whether anything in a service's database has changed, on either engine.
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import type { DatabaseConfig } from "../../src/config/database-url.ts";

export interface ChangeWatch {
  /** Whether a change was committed since the last call. */
  hasChanged(): Promise<boolean>;
  close(): Promise<void>;
}

/** Watches a database from now on, through a connection of its own. */
export async function watchChanges({ engine, location }: DatabaseConfig): Promise<ChangeWatch> {
  return engine === "sqlite" ? watchSqlite(location) : watchPostgres(location);
}

function watchSqlite(path: string): ChangeWatch {
  const database = new DatabaseSync(path, { readOnly: true });
  /** The number of the last change. */
  const look = (): unknown => database.prepare("pragma data_version").get()?.["data_version"];
  let seen = look();
  return {
    async hasChanged() {
      const before = seen;
      seen = look();
      return seen !== before;
    },
    close: async () => database.close(),
  };
}

async function watchPostgres(url: string): Promise<ChangeWatch> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows: tables } = await client.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'turngate'",
  );
  const rows = tables.map(({ name }) => `select '${name}' || t::text as row from turngate.${name} t`);
  const digest = `select md5(string_agg(row, ' ' order by row)) as seen from (${rows.join(" union all ")}) as rows`;
  const ask = async (name: string, text: string) =>
    (await client.query<{ seen: string }>({ name, text })).rows[0]?.seen;
  /** No transaction of the server has changed anything while its next number is the same. */
  const look = async () => ask("next", "select pg_snapshot_xmax(pg_current_snapshot())::text as seen");
  let next = await look();
  let content = await ask("digest", digest);
  return {
    async hasChanged() {
      const [nextBefore, contentBefore] = [next, content];
      next = await look();
      if (next === nextBefore) return false;
      content = await ask("digest", digest);
      return content !== contentBefore;
    },
    close: () => client.end(),
  };
}
