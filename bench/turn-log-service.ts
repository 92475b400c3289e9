// The log of turns while turns run: `node bench/turn-log-service.ts PATH` starts the service on a store that `turn-log.ts` has
// filled. Rounds of turns alone alternate with rounds of turns beside people who read the log.
import { setTimeout as sleep } from "node:timers/promises";
import { DEFAULT_FAMILY } from "./families.ts";
import { closedLoop } from "./load/closed-loop.ts";
import { openLoop } from "./load/open-loop.ts";
import { closeExchanges, exchangeOk } from "./load/exchange.ts";
import { median, quantile } from "./load/latency.ts";
import { requestBytes } from "./load/request.ts";
import { responsesTurn } from "./load/turn.ts";
import { freePort } from "./process/child.ts";
import { pinSelf } from "./process/cores.ts";
import { startTurngate } from "./service/turngate.ts";
import { startTarget } from "./targets/target.ts";

const ROUNDS = 7;
/** Of a round. */
const SECONDS = 6;
const CLIENTS = 32;
/** Turns per second. */
const STEADY_RATE = 500;
/** People who read at once; each asks for a page, reads, and asks for the next one. */
const READERS = 4;
const READ_MS = 250;
const ORGANIZATION = `org_${"0".repeat(32)}`;
/** The time of the newest turn that `turn-log.ts` makes, Unix seconds. */
const NOW = 1_795_000_000;
const DAYS = 90 * 86_400;
const FILTERS: readonly Readonly<Record<string, string>>[] = [
  {},
  { key: `key_${"0".repeat(32)}` },
  { key: `key_${"0".repeat(30)}99` },
  { member: "mem_3" },
  { member: "mem_3", model: "acme/rare" },
  { model: "acme/model-1" },
  { model: "acme/rare" },
  { model: "acme/none" },
  { status: "failed" },
  { status: "in_progress" },
  { failure_code: "provider_rate_limited" },
  { failure_code: "provider_unavailable" },
  { conversation: "conv_long" },
];

pinSelf();
const provider = await startTarget("PROVIDER");
const managePort = await freePort();
const turngate = await startTurngate({
  providerPort: provider.port,
  family: DEFAULT_FAMILY,
  isFree: true,
  databaseUrl: `sqlite:${process.argv[2] ?? ""}`,
  managePort,
  readyPath: "/healthz",
});
const manager = {
  authorization: `Bearer ${secretOf("tokens", "create", "--name", "bench log", "--org", ORGANIZATION, "--role", "owner")}`,
};
const headers = { authorization: `Bearer ${secretOf("keys", "create", "--name", "bench log", "--org", ORGANIZATION)}` };
const turn = responsesTurn({ model: "fake", isStream: false, headers });
const requests = [requestBytes(turn)];
const pages = new Map<string, number[]>();
let asked = 0;
let seed = 0;
try {
  await exchangeOk(turngate.port, turn);
  await saturate();
  await compare("turns/s of 32 clients", saturate);
  await compare("ms of a turn (p50) at 500 turns/s", runSteadily);
} finally {
  await turngate.stop();
  await provider.stop();
  closeExchanges();
}

/** Rounds of a load alone and beside readers, in turn. */
async function compare(name: string, load: () => Promise<number>): Promise<void> {
  pages.clear();
  const alone: number[] = [];
  const beside: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(await load());
    beside.push(await besideReaders(load));
  }
  print(`${name}, alone`, alone);
  print(`${name}, beside readers`, beside);
  print(
    "  ratio",
    beside.map((figure, round) => figure / (alone[round] ?? Number.NaN)),
  );
  const times = [...pages.values()].flat();
  const shown = [0.5, 0.95, 1].map((part) => quantile(times, part).toFixed(1));
  console.log(`  ${times.length} pages: p50 ${shown[0]}, p95 ${shown[1]}, max ${shown[2]} ms`);
  for (const [filter, each] of pages) console.log(`    p95 ${quantile(each, 0.95).toFixed(1)} ms  ${filter}`);
}

/** As many turns as 32 clients get; turns per second. */
async function saturate(): Promise<number> {
  const { rate } = await closedLoop({ port: turngate.port, clients: CLIENTS, seconds: SECONDS, requests });
  return rate ?? Number.NaN;
}

/** Turns at a rate that leaves the core time; milliseconds of one (p50). */
async function runSteadily(): Promise<number> {
  const [request] = requests;
  if (request === undefined) throw new Error("a load needs a request");
  const { p50 } = await openLoop({ port: turngate.port, rate: STEADY_RATE, seconds: SECONDS, request, seed: ++seed });
  return p50 ?? Number.NaN;
}

async function besideReaders(load: () => Promise<number>): Promise<number> {
  const over = new AbortController();
  const readers = Array.from({ length: READERS }, () => readPages(over.signal));
  const figure = await load();
  over.abort();
  await Promise.all(readers);
  return figure;
}

/** Reads pages of every filter in turn, from the newest turns and from places spread over the whole log. */
async function readPages(over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const place = asked++;
    const query = new URLSearchParams(FILTERS[place % FILTERS.length]);
    const filter = query.toString();
    if (place % 3 > 0) query.set("to", String(NOW - ((place * 7919) % DAYS)));
    const startedMs = performance.now();
    await exchangeOk(managePort, {
      method: "GET",
      path: `/manage/api/organizations/${ORGANIZATION}/turns?${query.toString()}`,
      headers: manager,
    });
    pages.set(filter, [...(pages.get(filter) ?? []), performance.now() - startedMs]);
    await sleep(READ_MS);
  }
}

function secretOf(...words: readonly string[]): string {
  const printed = turngate.command(...words);
  if (typeof printed !== "object" || printed === null || !("secret" in printed))
    throw new Error(`${words[0]} printed no secret`);
  return String(printed.secret);
}

function print(name: string, values: readonly number[]): void {
  const figures = [median(values), Math.min(...values), Math.max(...values)];
  const [middle, least, most] = figures.map((value) => value.toFixed(value < 100 ? 2 : 0));
  console.log(`${name}: ${middle} (${least} to ${most})`);
}
