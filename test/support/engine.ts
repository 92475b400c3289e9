// The engine that the tests over HTTP run on: embedded, or with TEST_ENGINE=postgres a real PostgreSQL
// (npm run test:postgres). Each service has a database of its own.
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

/** A new database of the chosen engine; undefined: an embedded one beside the service's files. */
export async function newDatabase(): Promise<DatabaseConfig | undefined> {
  if (TEST_ENGINE === "sqlite") return undefined;
  const { databases } = await import("../store/postgres-databases.ts");
  const server = await databases.server();
  return { engine: "postgres", location: server.url(await databases.create()) };
}
