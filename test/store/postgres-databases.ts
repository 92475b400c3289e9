// Stores on a PostgreSQL server, each in a database of its own.
import type { TestContext } from "node:test";
import type { Store } from "../../src/ports/store/store.ts";
import { openPostgres } from "../../src/store/postgres/open.ts";
import type { OpenOptions } from "../../src/store/store-engine.ts";
import { createManualClock, type ManualClock, type OpenedStore, type OpenStore } from "./fixtures.ts";
import { askFor } from "../support/shared.ts";
import { type PostgresServer, serverAt, startServer } from "./postgres-server.ts";

const MIGRATED = "migrated";

/** Opens a store as openPostgres does, without its nodes. */
export async function openPostgresStore(options: OpenOptions): Promise<Store> {
  return (await openPostgres(options)).store;
}

/** Databases of one server that is started when the first of them is needed. */
export interface PostgresDatabases<Server extends PostgresServer = PostgresServer> {
  readonly server: () => Promise<Server>;
  /** A new store in a database of its own. */
  readonly openNew: OpenStore;
  /** A new database with the store's schema; returns its name. */
  readonly create: () => Promise<string>;
  /** A new store for one test, with the name and address of its database. */
  readonly openFor: (
    t: TestContext,
    over?: Partial<OpenOptions>,
  ) => Promise<{ store: Store; clock: ManualClock; database: string; url: string }>;
}

/** The databases of a server of this process, for tests that stop it or change its settings. */
export function createDatabases<Server extends PostgresServer>(
  start: () => Promise<Server>,
): PostgresDatabases<Server> {
  return databasesOf(async () => {
    const server = await start();
    await migrate(server);
    return server;
  });
}

/** The databases of the server that all test files share, which no test may stop or change. */
export const databases: PostgresDatabases = databasesOf(async () => {
  const url = await askFor("postgres");
  if (url !== null) return serverAt(Number(new URL(url).port));
  const server = await startServer();
  await migrate(server);
  return server;
});

/** Starts the server that all test files share; resolves to its address. */
export async function startSharedServer(): Promise<string> {
  const server = await startServer();
  await migrate(server);
  return server.url(MIGRATED);
}

/** The schema is migrated once and then copied. */
async function migrate(server: PostgresServer): Promise<void> {
  await server.query("postgres", `create database ${MIGRATED}`);
  await (await openPostgresStore({ location: server.url(MIGRATED), clock: createManualClock() })).close();
}

function databasesOf<Server extends PostgresServer>(startMigrated: () => Promise<Server>): PostgresDatabases<Server> {
  let started: Promise<Server> | null = null;
  const server = () => (started ??= startMigrated());
  const create = async () => (await server()).createDatabase(MIGRATED);
  return {
    server,
    create,
    openNew: async (): Promise<OpenedStore> => {
      const database = await create();
      const clock = createManualClock();
      const store = await openPostgresStore({ location: (await server()).url(database), clock });
      return { store, clock, close: () => store.close() };
    },
    openFor: async (t, over = {}) => {
      const database = await create();
      const url = (await server()).url(database);
      const clock = createManualClock();
      const store = await openPostgresStore({ location: url, clock, ...over });
      t.after(() => store.close());
      return { store, clock, database, url };
    },
  };
}

/** Takes back the last migration without a mark, 0020-answers-of-several-turns.sql, and what came after it. */
export const UNDO_SINCE_20 = `
  delete from turngate.schema_version where version >= 20;
  alter table turngate.responses drop column also_answers;
  alter table turngate.organizations drop column rules;
  alter table turngate.budgets drop column ceiling_nano, drop column own_limit_nano, drop column raised_by_operator;
  alter table turngate.admin_tokens drop column permissions, drop column expires_at, drop column root;
  alter table turngate.admin_tokens drop column created_by_kind, drop column created_by_id;
  alter table turngate.key_secrets drop column root;
  alter table turngate.usage_by_hour drop column saved_nano;
  alter table turngate.api_keys drop column limits;
  alter table turngate.responses drop column request_id, drop column saved_nano;
  drop index turngate.responses_labelled_by_hour;
  drop index turngate.api_keys_in_order, turngate.api_keys_live, turngate.admin_tokens_in_order,
    turngate.admin_tokens_of_organization;
  create index api_keys_by_organization on turngate.api_keys (organization_id);
  create index admin_tokens_by_organization on turngate.admin_tokens (organization_id);
  drop table turngate.deleted_sums;
  drop trigger items_sum_deleted on turngate.items;
  drop trigger responses_reopen_ends on turngate.responses;
  drop function turngate.sum_deleted_item(), turngate.reopen_ends();
  alter table turngate.threads drop column open_ends;
  drop table turngate.failures_by_hour;
  drop table turngate.sign_in_attempts;
  alter table turngate.rejections
    drop column model, drop column provider, drop column provider_status, drop column provider_request_id;
  alter table turngate.nodes drop column schema_version, drop column root_check`;
