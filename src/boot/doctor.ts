// What `doctor` looks at, one check after the other; a check that throws has found something. Makes nothing and changes nothing.
import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { buildCatalog } from "./catalog.ts";
import { type Config, readConfig } from "./config.ts";
import type { ProviderConfig } from "./provider-config.ts";
import type { KeyCheck } from "../providers/family.ts";
import { describeForeignSecret, isSecretExposed, readRootSecret, secretPathOf } from "./root-secret.ts";
import {
  readMigratedAtMs,
  readSchemaVersion,
  readSecretCheck,
  readSqliteVersion,
} from "../store/sqlite/database/schema-version.ts";
import { createSecrets } from "../system/hashing.ts";

export interface Finding extends Record<string, unknown> {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** Least free disk space, bytes: below it the next busy hour may find the disk full. */
const FREE_BYTES_MIN = 256 * 1024 * 1024;
/** How long a provider may take to answer anything at all. */
const PROVIDER_TIMEOUT_MS = 5000;
/** How long another writer may hold the database. */
const WRITE_TIMEOUT_MS = 5000;

/** Runs every check; without a configuration only the first. */
export async function examine(): Promise<readonly Finding[]> {
  const reading = readConfig();
  const configuration = await find("configuration", async () => describeConfig(await reading));
  const runtime = await find("runtime", describeRuntime);
  if (!configuration.ok) return [configuration, runtime];

  const config = await reading;
  const findings = [configuration, runtime];
  for (const [check, look] of Object.entries(CHECKS)) findings.push(await find(check, () => look(config)));
  // At once: of several that do not answer each takes its whole time.
  const asked = config.providers.map((provider) => find(`provider ${provider.name}`, () => reachProvider(provider)));
  return [...findings, ...(await Promise.all(asked))];
}

function describeConfig(config: Config): string {
  return config.file ?? "no file: defaults and environment";
}

async function find(check: string, look: () => string | Promise<string>): Promise<Finding> {
  try {
    return { check, ok: true, detail: await look() };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { check, ok: false, detail: message.trim().replace(/\s*\n\s*/g, " ") };
  }
}

function describeRuntime(): string {
  return `Node ${process.versions.node}, SQLite ${readSqliteVersion()}`;
}

const CHECKS: Readonly<Record<string, (config: Config) => string | Promise<string>>> = {
  secret: checkSecret,
  store: checkStore,
  schema: checkSchema,
  disk: checkDisk,
  clock: checkClock,
  catalog: checkCatalog,
};

function checkSecret(config: Config): string {
  const { rootSecret, databasePath } = config;
  const path = secretPathOf(databasePath);
  const isFirst = !existsSync(databasePath);
  if (rootSecret === null && isFirst && !existsSync(path)) return `${path}: made by the first start`;
  const { checkValue } = createSecrets(readRootSecret(config));
  const kept = isFirst ? null : readSecretCheck(databasePath);
  if (kept !== null && kept !== checkValue) throw new Error(describeForeignSecret(config));
  if (rootSecret !== null) return "TURNGATE_SECRET";
  if (isSecretExposed(path)) throw new Error(`${path} can be read by others: chmod 600 ${path}`);
  return path;
}

function checkStore({ databasePath }: Config): string {
  if (!existsSync(databasePath)) {
    accessSync(nearestFolder(databasePath), constants.W_OK);
    return `${databasePath}: made by the first start`;
  }
  // SQLite opens a file that it may only read without a word, and makes its journal beside it.
  for (const path of [databasePath, dirname(databasePath)]) accessSync(path, constants.R_OK | constants.W_OK);
  const database = new DatabaseSync(databasePath, { timeout: WRITE_TIMEOUT_MS });
  try {
    // Takes the write lock, as a turn does, and gives it back.
    database.exec("begin immediate");
    database.exec("rollback");
  } finally {
    database.close();
  }
  return `${databasePath}: can be written`;
}

function checkSchema({ databasePath }: Config): string {
  if (!existsSync(databasePath)) return "none yet";
  return `version ${readSchemaVersion(databasePath)}`;
}

function checkDisk({ databasePath }: Config): string {
  const { bavail, bsize } = statfsSync(nearestFolder(databasePath));
  const free = `${Math.round((bavail * bsize) / 1024 / 1024).toLocaleString("en")} MiB free`;
  if (bavail * bsize < FREE_BYTES_MIN) throw new Error(`${free}; the store needs room to grow`);
  return free;
}

function checkClock({ databasePath }: Config): string {
  const now = Date.now();
  const shown = new Date(now).toISOString();
  if (existsSync(databasePath) && readMigratedAtMs(databasePath) > now) {
    throw new Error(`${shown} is before the database was made: the clock is behind`);
  }
  return shown;
}

async function checkCatalog(config: Config): Promise<string> {
  const { models } = await buildCatalog(config);
  if (models.length === 0) throw new Error("there is no model: list some in turngate.yaml");
  return `${models.length} models`;
}

async function reachProvider(provider: ProviderConfig): Promise<string> {
  // Loaded when there is somebody to ask: the families come with it.
  const { makeKeyCheck } = await import("../providers/key-checks.ts");
  const check = makeKeyCheck(provider);
  if (check === null) return "built in";
  const { origin, pathname } = check.url;
  const { status, body } = await ask(check).catch((error: unknown) => {
    const isTimeout = error instanceof Error && error.name === "TimeoutError";
    const words = isTimeout ? `no answer within ${PROVIDER_TIMEOUT_MS / 1000} seconds` : wordsOf(error);
    throw new Error(`${origin} can't be reached (${words})`, { cause: error });
  });
  if (check.refusesKey(status, body)) throw new Error(`${origin} refuses the key of ${provider.name} (${status})`);
  if (status >= 500) throw new Error(`${origin} is out of order (${status})`);
  if (status >= 300 && status < 400) {
    throw new Error(`${origin} sends elsewhere (${status}), where no turn follows: give that address as the base URL`);
  }
  // A server may have no list of models. Mostly it is an address that lacks its /v1, or has one too many.
  if (status === 404) return `${origin} answers (404): nothing is at ${pathname}; if turns fail, look at the base URL`;
  const isKeyGood = status < 300 && provider.apiKey !== null;
  return `${origin} answers (${status})${isKeyGood ? ", the key works" : ""}`;
}

/** As a turn is asked, by the same library: `fetch` would take the key along to wherever it is sent, and refuses some ports. */
async function ask({ url, headers }: KeyCheck): Promise<{ readonly status: number; readonly body: string }> {
  const { request } = await import("undici");
  const { statusCode, body } = await request(url, { headers, signal: AbortSignal.timeout(PROVIDER_TIMEOUT_MS) });
  return { status: statusCode, body: await body.text() };
}

/** Of a name with several addresses the error of the whole has no words of its own. */
function wordsOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join(", ");
  return error instanceof Error ? error.message : "unknown";
}

function nearestFolder(path: string): string {
  let folder = dirname(path);
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}
