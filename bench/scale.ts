// Turngate over several databases, simulated from measured costs: `node bench/scale.ts [SEED]`. Prints how many machines a
// number of turns a second needs, how organizations are divided, how long turns wait, what a lost shard costs, and how
// long creates of an organization are rejected while it moves. The same seed prints the same.
// docs/decisions/several-databases.md
import { seededRandom } from "./load/random.ts";
import { markdownTable } from "./report/table.ts";
import { coresFor, NODE_CONNECTIONS, SHARD_TURNS, TURN } from "./scale/costs.ts";
import { loseShard } from "./scale/loss.ts";
import { moveOrganization } from "./scale/move.ts";
import { type Placement, placeByHash, placeByLoad, zipfRates } from "./scale/placement.ts";
import { simulateQueue } from "./scale/queue.ts";

const RATES = [1000, 10_000, 100_000];
const ORGANIZATIONS = 100_000;
const EXPONENTS = [0.8, 1];
/** Of ordinary shards, so that none is full at the mean. */
const HEADROOM = 1.25;
const QUEUE_SECONDS = 20;
/** How long running turns are waited for during a switch. */
const DRAINS = [10, 60];
const DAY = 86_400;
const MOVED = [
  { name: "small", turnsPerSecond: 0.01, days: 30 },
  { name: "middle", turnsPerSecond: 5, days: 30 },
  { name: "large", turnsPerSecond: 500, days: 30 },
  { name: "too large", turnsPerSecond: 5000, days: 30 },
];

const seed = Number(process.argv[2] ?? 1);

print("What it takes", [
  ["turns/s", "shards", "database cores", "nodes", "connections to a database", "WAL of a shard", "rows a day, all"],
  ...RATES.map((rate) => {
    const shards = shardsFor(rate);
    const load = rate / shards;
    const nodes = nodesFor(load);
    return [
      whole(rate),
      shards,
      shards * coresFor(load, TURN.databaseCpuSeconds),
      shards * nodes,
      nodes * NODE_CONNECTIONS,
      `${((load * TURN.logBytes) / 1e6).toFixed(1)} MB/s`,
      `${((rate * TURN.storedBytes * DAY) / 1e12).toFixed(1)} TB`,
    ];
  }),
]);

const cluster = EXPONENTS.flatMap((exponent) => {
  const random = seededRandom(seed);
  const rates = zipfRates(ORGANIZATIONS, exponent, 100_000);
  const shards = shardsFor(100_000);
  return [
    { exponent, how: "by hash", rates, placed: placeByHash(rates, shards, random) },
    { exponent, how: "by load", rates, placed: placeByLoad(rates, shards) },
  ];
});

print("100,000 turns/s, 100,000 organizations (Zipf)", [
  ["exponent", "placed", "largest organization", "shards", "mean", "fullest", "p50 wait there", "p99", "its cores"],
  ...cluster.map(({ exponent, how, rates, placed }) => {
    const fullest = Math.max(...placed.loads);
    // Placed by hash, all databases are alike; placed by load, an organization's own has the cores that it needs.
    const cores = coresFor(how === "by hash" ? SHARD_TURNS : Math.max(fullest, SHARD_TURNS), TURN.databaseCpuSeconds);
    const wait = simulateQueue({ turnsPerSecond: fullest, cores, seconds: QUEUE_SECONDS }, seededRandom(seed));
    const isFull = fullest * TURN.databaseCpuSeconds >= cores;
    return [
      exponent,
      how,
      `${whole(rates[0])}/s`,
      placed.loads.length,
      `${whole(100_000 / placed.loads.length)}/s`,
      `${whole(fullest)}/s`,
      isFull ? "overloaded" : `${wait.p50.toFixed(2)} ms`,
      isFull ? "" : `${wait.p99.toFixed(2)} ms`,
      cores,
    ];
  }),
]);

print("A lost shard, 100,000 turns/s placed by load", [
  [
    "exponent",
    "shard",
    "organizations",
    "share that fails",
    "for",
    "creates that fail",
    "waiting at once on shared nodes",
  ],
  ...cluster
    .filter(({ how }) => how === "by load")
    .flatMap(({ exponent, placed }) =>
      [mostSharedOf(placed), fullestOf(placed)].map((shard, at) => {
        const loss = loseShard(placed, shard);
        return [
          exponent,
          at === 0 ? "most organizations" : "most turns",
          whole(loss.organizations),
          `${(loss.share * 100).toFixed(1)} %`,
          `${loss.seconds} s`,
          whole(loss.failed),
          whole(loss.waiting),
        ];
      }),
    ),
]);

print("Moving an organization, 30 days of rows", [
  [
    "organization",
    "turns/s",
    "rows",
    "copy and catch up",
    "passes",
    ...DRAINS.map((each) => `503 for it, turns cut at ${each} s`),
  ],
  ...MOVED.map(({ name, turnsPerSecond, days }) => {
    const storedBytes = turnsPerSecond * days * DAY * TURN.storedBytes;
    const first = [name, turnsPerSecond, `${whole(storedBytes / 1e9)} GB`];
    const moves = DRAINS.map((drainSeconds) =>
      moveOrganization({ turnsPerSecond, storedBytes, drainSeconds }, seededRandom(seed)),
    );
    const [move] = moves;
    if (move === undefined || move === null) return [...first, "never: it writes faster than a copy", "", "", ""];
    return [
      ...first,
      move.copySeconds < 3600 ? `${whole(move.copySeconds)} s` : `${(move.copySeconds / 3600).toFixed(1)} h`,
      move.passes,
      ...moves.map((each) => `${each?.refusedSeconds.toFixed(1)} s, ${each?.cut} cut`),
    ];
  }),
]);

function shardsFor(turnsPerSecond: number): number {
  return Math.ceil((turnsPerSecond * HEADROOM) / SHARD_TURNS);
}

/** One more than they need, for a node that is lost or replaced. */
function nodesFor(turnsPerSecond: number): number {
  return coresFor(turnsPerSecond, TURN.nodeCpuSeconds) + 1;
}

function fullestOf({ loads }: Placement): number {
  return loads.indexOf(Math.max(...loads));
}

/** The shard with the most organizations. */
function mostSharedOf({ shardOf, loads }: Placement): number {
  const counts = loads.map(() => 0);
  for (const shard of shardOf) counts[shard] = (counts[shard] ?? 0) + 1;
  return counts.indexOf(Math.max(...counts));
}

function whole(number = 0): string {
  return Math.round(number).toLocaleString("en");
}

function print(title: string, rows: readonly (readonly (string | number)[])[]): void {
  console.log(`\n${title}\n\n${markdownTable(rows.map((row) => row.map(String)))}`);
}
