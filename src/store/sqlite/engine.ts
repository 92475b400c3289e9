// The embedded engine: one file, one process.
import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { StoreEngine } from "../store-engine.ts";
import {
  countFormerHashes,
  findOrganizations,
  planMigration,
  readMigratedAtMs,
  readSecretCheck,
  readSqliteVersion,
} from "./database/inspect.ts";
import { openSqliteStore } from "./open.ts";

/** Least free disk space, bytes; with less, a busy hour may fill the disk. */
const FREE_BYTES_MIN = 256 * 1024 * 1024;
/** How long to wait for another writer of the database. */
const WRITE_TIMEOUT_MS = 5000;

export const sqliteEngine: StoreEngine = {
  describeRuntime: () => `SQLite ${readSqliteVersion()}`,
  open: async (options) => ({
    store: await openSqliteStore(options),
    nodes: null,
    clock: options.clock,
    reachable: null,
  }),
  exists: async (path) => existsSync(path),
  planMigration: async (path) => planMigration(path),
  readSecretCheck: async (path) => readSecretCheck(path),
  countFormerHashes: async (path, checkValue) => countFormerHashes(path, checkValue),
  findOrganizations: async (path, idsOrNames) => findOrganizations(path, idsOrNames),
  checks: { store: checkFile, schema: checkSchema, disk: checkDisk, clock: checkClock },
};

async function checkFile(path: string): Promise<string> {
  if (!existsSync(path)) {
    accessSync(nearestFolder(path), constants.W_OK);
    return `${path}: created by the first start`;
  }
  // SQLite silently opens a read-only file, and it creates its journal in the same folder.
  for (const needed of [path, dirname(path)]) accessSync(needed, constants.R_OK | constants.W_OK);
  const database = new DatabaseSync(path, { timeout: WRITE_TIMEOUT_MS });
  try {
    // Takes the write lock, as a response does, and releases it.
    database.exec("begin immediate");
    database.exec("rollback");
  } finally {
    database.close();
  }
  return `${path}: writable`;
}

async function checkSchema(path: string): Promise<string> {
  const { version } = planMigration(path);
  return version === 0 ? "none yet" : `version ${version}`;
}

async function checkDisk(path: string): Promise<string> {
  const { bavail, bsize } = statfsSync(nearestFolder(path));
  const free = `${Math.round((bavail * bsize) / 1024 / 1024).toLocaleString("en")} MiB free`;
  if (bavail * bsize < FREE_BYTES_MIN) throw new Error(`${free}; the store needs room to grow`);
  return free;
}

async function checkClock(path: string): Promise<string> {
  const now = Date.now();
  const shown = new Date(now).toISOString();
  if (existsSync(path) && readMigratedAtMs(path) > now) {
    throw new Error(`${shown} is before the database was created: the clock is behind`);
  }
  return shown;
}

function nearestFolder(path: string): string {
  let folder = dirname(path);
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}
