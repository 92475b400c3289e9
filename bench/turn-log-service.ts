// The log of turns while turns run: `node bench/turn-log-service.ts PATH` starts the service on a store that `turn-log.ts` has
// filled. Rounds of turns alone alternate with rounds of turns beside people who read the log. Prints the turns per second of both, and the milliseconds of a page.
import { setTimeout as sleep } from "node:timers/promises";
import { DEFAULT_FAMILY } from "./families.ts";
import { closedLoop } from "./load/closed-loop.ts";
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
/** People who read at once; each asks for a page, reads, and asks for the next one. */
const READERS = 4;
const READ_MILLISECONDS = 250;
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
});
const manager = {
  authorization: `Bearer ${secretOf("tokens", "create", "--name", "bench log", "--org", ORGANIZATION, "--role", "owner")}`,
};
const headers = { authorization: `Bearer ${secretOf("keys", "create", "--name", "bench log", "--org", ORGANIZATION)}` };
const requests = [requestBytes(responsesTurn({ model: "fake", isStream: false, headers }))];
const times: number[] = [];
let pages = 0;
try {
  await runTurns();
  const alone: number[] = [];
  const beside: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(await runTurns());
    beside.push(await runBesideReaders());
  }
  print("turns/s alone", alone);
  print("turns/s beside readers", beside);
  print(
    "ratio",
    beside.map((rate, round) => rate / (alone[round] ?? Number.NaN)),
    2,
  );
  const shown = [0.5, 0.95, 1].map((part) => quantile(times, part).toFixed(1));
  console.log(`${times.length} pages: p50 ${shown[0]}, p95 ${shown[1]}, max ${shown[2]} ms`);
} finally {
  await turngate.stop();
  await provider.stop();
  closeExchanges();
}

async function runTurns(): Promise<number> {
  const { rate } = await closedLoop({
    port: turngate.port,
    clients: CLIENTS,
    seconds: SECONDS,
    requests,
    pid: turngate.pid,
  });
  return rate ?? Number.NaN;
}

async function runBesideReaders(): Promise<number> {
  const over = new AbortController();
  const readers = Array.from({ length: READERS }, () => readPages(over.signal));
  const rate = await runTurns();
  over.abort();
  await Promise.all(readers);
  return rate;
}

/** Reads pages of every filter in turn, from the newest turns and from places spread over the whole log. */
async function readPages(over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const place = pages++;
    const query = new URLSearchParams(FILTERS[place % FILTERS.length]);
    if (place % 3 > 0) query.set("to", String(NOW - ((place * 7919) % DAYS)));
    const startedMs = performance.now();
    await exchangeOk(managePort, {
      method: "GET",
      path: `/manage/api/organizations/${ORGANIZATION}/turns?${query.toString()}`,
      headers: manager,
    });
    times.push(performance.now() - startedMs);
    await sleep(READ_MILLISECONDS);
  }
}

function secretOf(...words: readonly string[]): string {
  const printed = turngate.command(...words);
  if (typeof printed !== "object" || printed === null || !("secret" in printed))
    throw new Error(`${words[0]} printed no secret`);
  return String(printed.secret);
}

function print(name: string, values: readonly number[], digits = 0): void {
  const [least, middle, most] = [Math.min(...values), median(values), Math.max(...values)].map((value) =>
    value.toFixed(digits),
  );
  console.log(`${name}: ${middle} (${least} to ${most})`);
}
