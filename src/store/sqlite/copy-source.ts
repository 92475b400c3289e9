// The embedded store as the source of a copy to another engine. The copy changes nothing in it.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../../ports/store/store.ts";
import type { CopiedRow, CopiedTable, CopySource } from "../engine/copy.ts";
import { BUSY_TIMEOUT_MS } from "./database/connection.ts";
import { acquireLock } from "./database/lock.ts";
import { planMigration } from "./database/inspect.ts";

/** The tables to copy, each after those that it refers to. */
const TABLES = [
  "root_secret",
  "organizations",
  "members",
  "api_keys",
  "key_secrets",
  "threads",
  "responses",
  "items",
  "deleted_sums",
  "claims",
  "balances",
  "ledger_transfers",
  "usage_by_hour",
  "budgets",
  "budget_periods",
  "budget_increases",
  "audit_log",
  "admin_tokens",
  "member_passwords",
  "sign_in_links",
  "sessions",
  "operator_links",
  "member_identities",
  "events",
  "event_head",
  "provider_states",
  "rejections",
  "failures_by_hour",
] as const;
/** Tables that each engine fills itself. */
const LEFT_OUT: readonly string[] = ["schema_version"];
/** Tables without a rowid, and the columns that they are ordered by instead. */
const ORDERS: Readonly<Record<string, string>> = {
  budget_periods: "budget_id, period_from",
  deleted_sums: "thread_id, block",
};

/**
 * Opens a store to be copied, exclusively. Rejects with a StoreError while a service runs on it, or when its schema is
 * not this version's.
 */
export async function openCopySource(location: string): Promise<CopySource> {
  const path = resolve(location);
  if (!existsSync(path))
    throw new StoreError("failed", `There is no database ${path}: check the working directory and DATABASE_URL.`);
  const release = lock(path);
  let database: DatabaseSync | null = null;
  try {
    assertSchema(path);
    const opened = (database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS }));
    // One snapshot of all tables, whatever a command writes meanwhile.
    opened.exec("begin");
    const tables = listTables(opened, path).map((name) => describeTable(opened, name));
    return {
      tables,
      close() {
        opened.close();
        release();
      },
    };
  } catch (error) {
    database?.close();
    release();
    throw error;
  }
}

function lock(path: string): () => void {
  try {
    return acquireLock(path);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new StoreError(
      "unavailable",
      `${error.message} Stop the service first: turns must not run while the store is copied.`,
      {
        cause: error,
      },
    );
  }
}

function assertSchema(path: string): void {
  const { version, missing } = planMigration(path);
  const newest = missing.at(-1);
  if (newest === undefined) return;
  throw new StoreError(
    "failed",
    `${path} has schema ${version}, and this version copies schema ${newest.version}: run \`turngate migrate\` on it first.`,
  );
}

/** The tables to copy. Throws when the file has a table that is not among them, which the copy would lose. */
function listTables(database: DatabaseSync, path: string): readonly string[] {
  const rows = database
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'")
    .all();
  const known: readonly string[] = [...TABLES, ...LEFT_OUT];
  const unknown = rows.map(({ name }) => String(name)).filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new StoreError("failed", `${path} has tables that are not the store's: ${unknown.join(", ")}.`);
  return TABLES;
}

function describeTable(database: DatabaseSync, name: string): CopiedTable {
  const order = ORDERS[name] ?? "rowid";
  const own = database
    .prepare(`select name from pragma_table_info('${name}')`)
    .all()
    .map((row) => String(row["name"]));
  return {
    name,
    columns: order === "rowid" ? ["rowid", ...own] : own,
    count: Number(database.prepare(`select count(*) as count from ${name}`).get()?.["count"]),
    *rows(columns) {
      const list = columns.map((column) => `"${column}"`).join(", ");
      const select = database.prepare(`select ${list} from ${name} order by ${order}`);
      select.setReadBigInts(true);
      select.setReturnArrays(true);
      for (const row of select.iterate() as Iterable<unknown>) yield (row as readonly StoredValue[]).map(asText);
    },
  };
}

/** All columns are integers or texts. */
type StoredValue = bigint | string | null;

function asText(value: StoredValue): CopiedRow[number] {
  return value === null ? null : String(value);
}
