/** P20: the working tree beside earlier commits: the same requests to each in turn, in one run on one core. */
import { DEFAULT_FAMILY } from "./families.ts";
import { closedLoop } from "./load/closed-loop.ts";
import { exchangeOk } from "./load/exchange.ts";
import { median } from "./load/latency.ts";
import { openLoop } from "./load/open-loop.ts";
import { requestBytes } from "./load/request.ts";
import { responsesTurn } from "./load/turn.ts";
import { checkoutOf } from "./process/checkout.ts";
import { markdownTable, shortNumber } from "./report/table.ts";
import { type Metrics, WARM_SECONDS } from "./row.ts";
import { startTurngate, type Turngate } from "./service/turngate.ts";

const FULL = { rounds: 9, seconds: 2, warmSeconds: WARM_SECONDS };
const QUICK = { rounds: 3, seconds: 1, warmSeconds: 4 };
/** Turns a second of the open loop: a fifth of the capacity. */
const RATE = 300;
/** The open loop needs more arrivals than a closed one for a p99. */
const OPEN_FACTOR = 3;
const ITEMS = 20;
/** The threads that are shown by the names of the system. V8's helper collects garbage and compiles. */
const THREADS = {
  main: "node-MainThread",
  writer: "store-writer",
  checkpointer: "store-checkpoin",
  helper: "node-V8Worker",
};

interface Measure {
  readonly name: string;
  /** The metrics that are shown, by what the table says. */
  readonly shown: Readonly<Record<string, string>>;
  readonly run: (seconds: number, round: number) => Promise<Metrics>;
}

interface Program {
  readonly service: Turngate;
  readonly measures: readonly Measure[];
}

/** Measures the working tree beside each commit and returns the table of medians, ratios and their spread. */
export async function measureBeside(
  commits: readonly string[],
  { providerPort, isQuick }: { readonly providerPort: number; readonly isQuick: boolean },
): Promise<string> {
  const roots = [undefined, ...commits.map(checkoutOf)];
  const { rounds, seconds, warmSeconds } = isQuick ? QUICK : FULL;
  const programs: Program[] = [];
  // oxlint-disable no-await-in-loop -- one after another
  try {
    for (const root of roots) programs.push(await startProgram(providerPort, root));
    const [here] = programs;
    const rows: string[][] = [];
    for (const [index, { name, shown }] of here?.measures.entries() ?? []) {
      process.stderr.write(`${name}\n`);
      const measured: Metrics[][] = programs.map(() => []);
      for (const { measures } of programs) await measures[index]?.run(index === 0 ? warmSeconds : seconds, 0);
      for (let round = 1; round <= rounds; round++) {
        const order = [...programs.entries()];
        for (const [at, { measures }] of round % 2 === 0 ? order.toReversed() : order) {
          const metrics = await measures[index]?.run(seconds, round);
          if (metrics !== undefined) measured[at]?.push(metrics);
        }
      }
      for (const [text, metric] of Object.entries(shown)) rows.push([`${name}: ${text}`, ...cells(measured, metric)]);
    }
    return markdownTable([["P20", "here", ...commits.flatMap((commit) => [commit, "ratio (spread)"])], ...rows]);
  } finally {
    for (const { service } of programs) await service.stop();
  }
  // oxlint-enable no-await-in-loop
}

/** The medians, and for each commit our median divided by its own, with the smallest and largest ratio of a round. */
function cells(measured: readonly (readonly Metrics[])[], metric: string): string[] {
  const [ours = [], ...others] = measured.map((side) => side.map((metrics) => metrics[metric] ?? 0));
  return [
    shortNumber(median(ours)),
    ...others.flatMap((theirs) => {
      const ratios = ours.map((value, round) => value / (theirs[round] ?? 0));
      const spread = `${shortNumber(Math.min(...ratios))}–${shortNumber(Math.max(...ratios))}`;
      return [shortNumber(median(theirs)), `${shortNumber(median(ours) / median(theirs))} (${spread})`];
    }),
  ];
}

async function startProgram(providerPort: number, root: string | undefined): Promise<Program> {
  const service = await startTurngate({
    providerPort,
    family: DEFAULT_FAMILY,
    ...(root === undefined ? {} : { root }),
  });
  return { service, measures: await prepareMeasures(service) };
}

async function prepareMeasures({ port, pid, headers, unknownHeaders }: Turngate): Promise<readonly Measure[]> {
  const turn = responsesTurn({ model: "fake", isStream: false, headers });
  const { id } = JSON.parse(await exchangeOk(port, turn)) as { id: string };
  const items = Array.from({ length: ITEMS }, (_, at) => ({ role: "user", content: `item ${at} of the page` }));
  const created = await exchangeOk(port, { method: "POST", path: "/v1/conversations", headers, body: { items } });
  const conversation = JSON.parse(created) as { id: string };
  const get = (path: string, from = headers): Buffer => requestBytes({ method: "GET", path, headers: from });
  const invalid = { method: "POST", path: "/v1/responses", headers, body: { model: "bench/fake", input: 7 } } as const;
  const cpu = { "CPU, µs": "cpu" };
  const closed = (name: string, request: Buffer, clients: number, status = 200, shown = cpu): Measure => ({
    name,
    shown,
    run: (seconds) => closedLoop({ port, pid, clients, seconds, requests: [request], status }),
  });
  const byThread = Object.fromEntries(Object.entries(THREADS).map(([text, name]) => [`${text}, µs`, name]));
  return [
    closed("turn at 128", requestBytes(turn), 128, 200, { ...cpu, ...byThread }),
    closed("lone turn", requestBytes(turn), 1, 200, { ...cpu, ...byThread }),
    {
      name: `turn at ${RATE}/s`,
      shown: { "p50, ms": "p50", "p99, ms": "p99" },
      run: (seconds, seed) =>
        openLoop({ port, rate: RATE, seconds: seconds * OPEN_FACTOR, request: requestBytes(turn), seed: RATE + seed }),
    },
    closed("retrieve", get(`/v1/responses/${id}`), 32),
    closed("page of 20", get(`/v1/conversations/${conversation.id}/items`), 32),
    closed("400", requestBytes(invalid), 32, 400),
    closed("401", get(`/v1/responses/${id}`, unknownHeaders), 32, 401),
    closed("404", get(`/v1/responses/resp_${"0".repeat(32)}`), 32, 404),
  ];
}
