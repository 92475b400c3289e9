// The PostgreSQL engine: one database, any number of processes.
import type { Client } from "pg";
import { StoreError } from "../../ports/store/store.ts";
import { COUNT_FORMER_HASHES } from "../accounts/former-hashes.ts";
import type { StoreEngine } from "../store-engine.ts";
import { listApplied, listMigrations, openError, planMigration } from "./database/migrate.ts";
import { connectOnce } from "./database/pool.ts";
import { createTranslate, listTables } from "./database/translate.ts";
import { type PostgresTarget, parsePostgresUrl } from "./database/url.ts";
import { openPostgres } from "./open.ts";

export const postgresEngine: StoreEngine = {
  describeRuntime: () => "PostgreSQL",
  open: openPostgres,
  exists: (url) => withClient(url, isMigrated),
  planMigration: (url) => withClient(url, planMigration),
  readSecretCheck: (url) => withClient(url, readSecretCheck),
  countFormerHashes: (url, checkValue) =>
    withClient(url, (client, target) => countFormerHashes(client, target, checkValue)),
  findOrganizations: (url, idsOrNames) =>
    withClient(url, (client, target) => findOrganizations(client, target, idsOrNames)),
  checks: { store: checkServer, schema: checkSchema, clock: checkClock },
};

async function checkServer(url: string): Promise<string> {
  return withClient(url, async (client, target) => {
    const { display } = target;
    const { rows } = await client.query<{ version: string; standby: boolean; commit: string; standbys: string }>(`
      select current_setting('server_version')            as version,
             pg_is_in_recovery()                          as standby,
             current_setting('synchronous_commit')        as commit,
             current_setting('synchronous_standby_names') as standbys`);
    const [server] = rows;
    if (server === undefined) throw new StoreError("failed", `${display} does not report its version`);
    if (server.standby) throw new StoreError("failed", `${display} is a standby, which takes no writes`);
    if (server.commit === "off") {
      throw new StoreError("failed", `${display} has synchronous_commit off: a crash of the server loses stored turns`);
    }
    if (target.preparesStatements) await checkPreparedStatements(client, target);
    const isReplicated = server.standbys !== "" && server.commit !== "local";
    const loss = isReplicated ? "synchronous standby" : "no synchronous standby: a failover may lose the last turns";
    return `${display}: PostgreSQL ${server.version}, writable; ${loss}`;
  });
}

/**
 * Throws a StoreError when a pooler does not keep prepared statements: another client gets the session in which the
 * statement was prepared.
 */
async function checkPreparedStatements(client: Client, target: PostgresTarget): Promise<void> {
  const ask = () => client.query({ name: "turngate_doctor", text: "select 1" });
  await ask();
  const other = await connectOnce(target);
  try {
    await other.query("begin");
    await other.query("select 1");
    await ask();
  } finally {
    await other.end();
  }
}

async function checkSchema(url: string): Promise<string> {
  const { version } = await withClient(url, planMigration);
  return version === 0 ? "none yet" : `version ${version}`;
}

/** The clocks need not agree: everything expires by the database's clock. */
async function checkClock(url: string): Promise<string> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ now: string }>("select extract(epoch from clock_timestamp()) * 1000 as now");
    const nowMs = Number(rows[0]?.now);
    const aheadSeconds = Math.round((nowMs - Date.now()) / 1000);
    const shown = new Date(nowMs).toISOString();
    return aheadSeconds === 0 ? shown : `${shown} in the database, ${aheadSeconds} s ahead of this machine`;
  });
}

async function isMigrated(client: Client, { schema }: PostgresTarget): Promise<boolean> {
  const { rows: found } = await client.query<{ has: number }>("select to_regclass($1) is not null as has", [
    `"${schema}".schema_version`,
  ]);
  return found[0]?.has === 1 && (await listApplied(client, schema)).length > 0;
}

async function readSecretCheck(client: Client, target: PostgresTarget): Promise<string | null> {
  if (!(await isMigrated(client, target))) return null;
  const { rows } = await client.query<{ check: string }>(
    `select check_value as check from "${target.schema}".root_secret`,
  );
  return rows[0]?.check ?? null;
}

async function countFormerHashes(client: Client, { schema }: PostgresTarget, checkValue: string): Promise<number> {
  // Everything expires by the database's clock.
  const sql = COUNT_FORMER_HASHES.replaceAll(":nowMs", "extract(epoch from clock_timestamp()) * 1000");
  const { text } = createTranslate(schema, listTables(listMigrations()))({ kind: "one", sql });
  const { rows } = await client.query<{ keys: number; tokens: number }>(text, [checkValue]);
  const { keys = 0, tokens = 0 } = rows[0] ?? {};
  return keys + tokens;
}

async function findOrganizations(
  client: Client,
  { schema }: PostgresTarget,
  idsOrNames: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await client.query<{ idOrName: string }>(
    `select named as "idOrName"
       from unnest($1::text[]) as named
      where exists (select 1
                      from "${schema}".organizations
                     where (id = named or name = named)
                       and deleted_at_ms is null)`,
    [idsOrNames],
  );
  return rows.map(({ idOrName }) => idOrName);
}

/** Runs work on a connection of its own. Rejects with a StoreError that names the database without its password. */
async function withClient<T>(url: string, work: (client: Client, target: PostgresTarget) => Promise<T>): Promise<T> {
  const target = parsePostgresUrl(url);
  let client: Client | null = null;
  try {
    client = await connectOnce(target);
    return await work(client, target);
  } catch (error) {
    throw openError(error, target);
  } finally {
    await client?.end();
  }
}
