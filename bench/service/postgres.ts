/** A PostgreSQL server for the rows that need one: the same that the tests start, free to use every core. */
import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { type PostgresServer, startServer } from "../../test/store/postgres-server.ts";
import { isPinned } from "../process/cores.ts";

let started: Promise<PostgresServer> | undefined;

/** The address of a new, empty database. The server ends with this process. */
export async function createDatabase(): Promise<string> {
  started ??= startUnpinned();
  const server = await started;
  return server.url(await server.createDatabase());
}

async function startUnpinned(): Promise<PostgresServer> {
  const server = await startServer();
  if (!isPinned) return server;
  // It was started on the cores of the load, and its backends inherit them.
  const postmaster = String(await findPostmaster(server));
  spawnSync("taskset", ["-p", "-c", `0-${availableParallelism() - 1}`, postmaster]);
  return server;
}

/** The id of the server's first process. */
export async function findPostmaster(server: PostgresServer): Promise<number> {
  const [row] = await server.query<{ file: string }>("postgres", "select pg_read_file('postmaster.pid') as file");
  return Number.parseInt(row?.file ?? "", 10);
}
