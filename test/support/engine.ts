// The engine that the tests over HTTP run on: embedded, or with TEST_ENGINE=postgres a real PostgreSQL
// (npm run test:postgres). Each service has a database of its own.
import pg from "pg";
import { openStore } from "../../src/boot/store.ts";
import type { DatabaseConfig } from "../../src/config/database-url.ts";

export const TEST_ENGINE = process.env["TEST_ENGINE"] === "postgres" ? "postgres" : "sqlite";

/**
 * Opens the store of a service for a test. A test that brings no database of its own has one process, whose time is the
 * test's: it is no node.
 */
export const openAlone: typeof openStore = async (config, options) => {
  const opened = await openStore(config, options);
  return { ...opened, nodes: null, clock: options.clock };
};

/** Of the runner: the address of a database with the store's schema, on the server that all its test files share. */
const SHARED = "TEST_POSTGRES";

/** Starts the server that the test files of this runner share, when they are to run on PostgreSQL. */
export async function shareServer(): Promise<void> {
  if (TEST_ENGINE === "sqlite" || process.env[SHARED] !== undefined) return;
  const { databases } = await import("../nodes/databases.ts");
  const server = await databases.server();
  process.env[SHARED] = server.url(await databases.create());
}

let made = 0;

/** A new database of the chosen engine; undefined: an embedded one beside the service's files. */
export async function newDatabase(): Promise<DatabaseConfig | undefined> {
  if (TEST_ENGINE === "sqlite") return undefined;
  await shareServer();
  const template = new URL(process.env[SHARED] ?? "");
  const name = `service_${process.pid}_${++made}`;
  const client = new pg.Client(new URL("/postgres", template).href);
  await client.connect();
  await client.query(`create database ${name} template ${template.pathname.slice(1)}`);
  await client.end();
  return { engine: "postgres", location: new URL(`/${name}`, template).href };
}
