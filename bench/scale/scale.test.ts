import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { seededRandom } from "../load/random.ts";
import { coresFor, SHARD_TURNS, TURN } from "./costs.ts";
import { loseShard } from "./loss.ts";
import { moveOrganization } from "./move.ts";
import { placeByHash, placeByLoad, zipfRates } from "./placement.ts";
import { simulateQueue } from "./queue.ts";

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
const isNear = (found: number, wanted: number, share: number) =>
  assert.ok(Math.abs(found - wanted) <= wanted * share, `${found} is not near ${wanted}`);

test("Zipf: the second organization has half of the first's turns at exponent 1, and all of them are dealt out", () => {
  const rates = zipfRates(1000, 1, 500);
  isNear(sum(rates), 500, 1e-9);
  isNear(rates[1]! * 2, rates[0]!, 1e-9);
  isNear(zipfRates(1000, 0.5, 500)[3]! * 2, zipfRates(1000, 0.5, 500)[0]!, 1e-9);
});

test("placing loses no turn; by load the shards are alike, by hash they are not", () => {
  const rates = zipfRates(20_000, 0.8, 20_000);
  const [byHash, byLoad] = [placeByHash(rates, 13, seededRandom(1)), placeByLoad(rates, 13)];
  for (const { shardOf, loads } of [byHash, byLoad]) {
    isNear(sum(loads), 20_000, 1e-9);
    loads.forEach((load, shard) => isNear(sum(rates.filter((_, at) => shardOf[at] === shard)), load, 1e-9));
  }
  const spread = ({ loads }: { readonly loads: readonly number[] }) => Math.max(...loads) / Math.min(...loads);
  assert.ok(spread(byLoad) < 1.01, `${spread(byLoad)}`);
  assert.ok(spread(byHash) > 1.1, `${spread(byHash)}`);
});

test("an organization that fills a shard is alone on one", () => {
  const { shardOf, loads } = placeByLoad([3 * SHARD_TURNS, 1.5 * SHARD_TURNS, 30, 20, 5], 2);
  assert.deepEqual(shardOf, [2, 3, 0, 1, 1]);
  assert.deepEqual(loads, [30, 25, 3 * SHARD_TURNS, 1.5 * SHARD_TURNS]);
});

test("waits are those of queueing theory: M/D/1 at half load waits half a service time on average", () => {
  const half = 0.5 / TURN.databaseCpuSeconds;
  const one = simulateQueue({ turnsPerSecond: half, cores: 1, seconds: 500 }, seededRandom(3));
  isNear(one.mean, (TURN.databaseCpuSeconds * 1000) / 2, 0.05);
  // Twice the cores with twice the turns wait less; the control: nearly full, they wait long.
  const two = simulateQueue({ turnsPerSecond: 2 * half, cores: 2, seconds: 500 }, seededRandom(3));
  assert.ok(two.p99 < one.p99);
  assert.ok(simulateQueue({ turnsPerSecond: 1.95 * half, cores: 1, seconds: 500 }, seededRandom(3)).p99 > 10 * one.p99);
});

test("cores are counted with room", () => {
  assert.equal(coresFor(600, 1e-3), 1);
  assert.equal(coresFor(601, 1e-3), 2);
});

test("a lost shard fails its own share and no other's", () => {
  const loss = loseShard({ shardOf: [0, 1, 1, 1], loads: [30, 10] }, 1);
  assert.deepEqual([loss.share, loss.organizations, loss.failed], [0.25, 3, 10 * loss.seconds]);
});

test("a move copies until little is left, and then waits for running turns up to the limit", () => {
  const quiet = moveOrganization({ turnsPerSecond: 1e-9, storedBytes: 28e6, drainSeconds: 60 }, seededRandom(1));
  assert.deepEqual([quiet?.copySeconds, quiet?.passes, quiet?.cut], [1, 1, 0]);
  assert.ok(quiet!.refusedSeconds < 1.1);
  const busy = { turnsPerSecond: 1000, storedBytes: 28e9 };
  const [short, long] = [5, 100].map((drainSeconds) => moveOrganization({ ...busy, drainSeconds }, seededRandom(1)));
  assert.ok(long!.passes > 3 && long!.copySeconds > 1000);
  assert.ok(short!.refusedSeconds < 7 && long!.refusedSeconds > 90);
  assert.ok(short!.cut > long!.cut && long!.cut > 0);
  assert.equal(moveOrganization({ turnsPerSecond: 5000, storedBytes: 1, drainSeconds: 60 }, seededRandom(1)), null);
});

test("the script prints the same for the same seed", () => {
  const run = (seed: string) => {
    const script = fileURLToPath(new URL("../scale.ts", import.meta.url));
    const { stdout, stderr, status } = spawnSync(process.execPath, [script, seed], { encoding: "utf8" });
    assert.equal(status, 0, stderr);
    return stdout;
  };
  assert.equal(run("1"), run("1"));
  assert.notEqual(run("1"), run("2"));
});
