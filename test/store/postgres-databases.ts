// Stores on a PostgreSQL server, each in a database of its own.
import type { TestContext } from "node:test";
import type { Store } from "../../src/ports/store/store.ts";
import { openPostgresStore, type PostgresStoreOptions } from "../../src/store/postgres/open.ts";
import { createManualClock, type ManualClock, type OpenedStore, type OpenStore } from "./fixtures.ts";
import type { PostgresServer } from "./postgres-server.ts";

const MIGRATED = "migrated";

/** Databases of one server that is started when the first of them is needed. */
export interface PostgresDatabases {
  readonly server: () => Promise<PostgresServer>;
  /** A new store in a database of its own. */
  readonly openNew: OpenStore;
  /** A new database with the store's schema; returns its name. */
  readonly create: () => Promise<string>;
  /** A new store for one test, with the name and address of its database. */
  readonly openFor: (
    t: TestContext,
    over?: Partial<PostgresStoreOptions>,
  ) => Promise<{ store: Store; clock: ManualClock; database: string; url: string }>;
}

/** Creates the databases of a server; its schema is migrated once and then copied. */
export function createDatabases(start: () => Promise<PostgresServer>): PostgresDatabases {
  let started: Promise<PostgresServer> | null = null;
  const startMigrated = async (): Promise<PostgresServer> => {
    const server = await start();
    await server.query("postgres", `create database ${MIGRATED}`);
    await (await openPostgresStore({ url: server.url(MIGRATED), clock: createManualClock() })).close();
    return server;
  };
  const server = () => (started ??= startMigrated());
  const create = async () => (await server()).createDatabase(MIGRATED);
  return {
    server,
    create,
    openNew: async (): Promise<OpenedStore> => {
      const database = await create();
      const clock = createManualClock();
      const store = await openPostgresStore({ url: (await server()).url(database), clock });
      return { store, clock, close: () => store.close() };
    },
    openFor: async (t, over = {}) => {
      const database = await create();
      const url = (await server()).url(database);
      const clock = createManualClock();
      const store = await openPostgresStore({ url, clock, ...over });
      t.after(() => store.close());
      return { store, clock, database, url };
    },
  };
}
