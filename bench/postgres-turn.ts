// What a turn costs PostgreSQL itself, for docs/scale.md: `node bench/postgres-turn.ts [SECONDS]`. The service has one
// core, PostgreSQL the other, on which the load takes what is left. Prints, for so many turns at once: turns a second,
// CPU of all of PostgreSQL's processes and of Node a turn, bytes of write-ahead log and of rows with their indexes. The
// server is durable (fsync, full page writes), each turn has a text of its own, and is priced.
import { readdirSync, readFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { startServer } from "../test/store/postgres-server.ts";
import { DEFAULT_FAMILY } from "./families.ts";
import { closedLoop } from "./load/closed-loop.ts";
import { closeExchanges } from "./load/exchange.ts";
import { seededRandom } from "./load/random.ts";
import { requestBytes } from "./load/request.ts";
import { responsesTurn } from "./load/turn.ts";
import { LOAD_CORES, pinSelf } from "./process/cores.ts";
import { startTarget } from "./targets/target.ts";
import { findPostmaster } from "./service/postgres.ts";
import { startTurngate } from "./service/turngate.ts";

const DURABLE = ["max_connections=50", "shared_buffers=1GB", "max_wal_size=4GB", "jit=off"];
const AT_ONCE = [1, 8, 64, 256];
const WARM_UP_SECONDS = 15;
const TICKS_PER_SECOND = 100;
const TEXTS = 512;
const TEXT_CHARACTERS = 3300;
/** So that a text compresses about as far as prose. */
const WORDS = 4000;

const seconds = Number(process.argv[2] ?? 10);
pinSelf();
const server = await startServer(DURABLE);
const database = await server.createDatabase();
const postmaster = await findPostmaster(server);
spawnSync("taskset", ["-a", "-p", "-c", LOAD_CORES, String(postmaster)]);
const provider = await startTarget("PROVIDER");
const turngate = await startTurngate({
  providerPort: provider.port,
  family: DEFAULT_FAMILY,
  databaseUrl: server.url(database),
});
const { port, pid, headers } = turngate;
const requests = createRequests();
await closedLoop({ port, clients: 64, seconds: WARM_UP_SECONDS, requests });
for (const clients of AT_ONCE) {
  // oxlint-disable no-await-in-loop -- one after the other
  const before = await read();
  const load = await closedLoop({ port, pid, clients, seconds, requests });
  const after = await read();
  // oxlint-enable no-await-in-loop
  const turns = after.turns - before.turns;
  const columns = [
    `${clients} at once`,
    `${Math.round(load["rate"] ?? 0)} turns/s`,
    `PostgreSQL ${Math.round(((after.cpu - before.cpu) / turns) * 1e6)} µs`,
    `Node ${Math.round(load["cpu"] ?? 0)} µs`,
    `WAL ${Math.round((after.log - before.log) / turns)} bytes`,
    `rows ${Math.round((after.stored - before.stored) / turns)} bytes`,
  ];
  console.log(columns.join("\t"));
}
await turngate.stop();
await provider.stop();
closeExchanges();
process.exit();

/** Turns so far, bytes, and CPU seconds of the server with its children, those that have ended included. */
async function read(): Promise<{ turns: number; stored: number; log: number; cpu: number }> {
  const [row] = await server.query<{ turns: string; stored: string; log: string }>(
    database,
    `select (select count(*) from turngate.responses)               as turns,
            sum(pg_total_relation_size(c.oid))                      as stored,
            pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')     as log
       from pg_class c
       join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'turngate' and c.relkind = 'r'`,
  );
  let ticks = 0;
  for (const each of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const fields = statOf(each);
    const own = Number(fields[11]) + Number(fields[12]);
    if (each === String(postmaster)) ticks += own + Number(fields[13]) + Number(fields[14]);
    else if (fields[1] === String(postmaster)) ticks += own;
  }
  return {
    turns: Number(row?.turns),
    stored: Number(row?.stored),
    log: Number(row?.log),
    cpu: ticks / TICKS_PER_SECOND,
  };
}

/** The fields of /proc/PID/stat behind the name, none for a process that has ended: state, parent, …. */
function statOf(id: string): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

/** Turns with texts that repeat their words, and not each other. */
function createRequests(): readonly Buffer[] {
  const random = seededRandom(1);
  const words = Array.from({ length: WORDS }, () =>
    Array.from({ length: 2 + Math.floor(random() * 8) }, () =>
      String.fromCharCode(97 + Math.floor(random() ** 2 * 26)),
    ).join(""),
  );
  return Array.from({ length: TEXTS }, () => {
    let text = "";
    while (text.length < TEXT_CHARACTERS) text += `${words[Math.floor(random() ** 2 * WORDS)]} `;
    const turn = responsesTurn({ model: "fake", isStream: false, headers });
    return requestBytes({ ...turn, body: { ...Object(turn.body), input: text.slice(0, TEXT_CHARACTERS) } });
  });
}
