/** A PostgreSQL server for the rows that need one: the same that the tests start, free to use every core. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
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
  const [backend] = await server.query<{ pid: number }>("postgres", "select pg_backend_pid() as pid");
  const parent = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${backend?.pid}/status`, "utf8"))?.[1];
  if (parent !== undefined) spawnSync("taskset", ["-p", "-c", `0-${availableParallelism() - 1}`, parent]);
  return server;
}
