// What the indexes of the log of turns cost a turn: `node bench/turn-log-cost.ts [KEYS]` begins and settles priced turns on stores
// with and without them, in turn. Prints the CPU of the whole process for each turn, microseconds.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ResponseId } from "../src/contract/ids.ts";
import type { Store } from "../src/ports/store/store.ts";
import { openSqliteStore } from "../src/store/sqlite/open.ts";
import { createSystemClock } from "../src/system/clock.ts";
import { runResponse } from "../test/store/fixtures.ts";
import { TESTS } from "../test/support/actor.ts";

const LOG = ["responses_by_organization", "responses_by_key", "responses_unsuccessful"];
const LEDGER = ["ledger_transfers_topups", "ledger_transfers_between"];
/** The indexes that a store is without. */
const STORES = { "no index": [...LOG, ...LEDGER], "the log's": LEDGER, "the log's and the ledger's": [] };
const ROUNDS = 14;
/** The first ones warm up. */
const WARM_UPS = 2;
const TURNS = 1500;
const CONCURRENT = 64;

const keys = Number(process.argv[2] ?? 5);
const organizationId = "org_x";
const clock = createSystemClock();
const folder = mkdtempSync(join(tmpdir(), "turn-log-cost-"));
const prices = JSON.stringify({ input: 1000, cached_input: 100, cache_write: 2000, output: 5000, tiers: [] });
let made = 0;

const stores = new Map<string, Store>();
for (const [name, without] of Object.entries(STORES)) stores.set(name, await open(join(folder, `${name}.db`), without));
const costs = new Map<string, number[]>([...stores.keys()].map((name) => [name, []]));
for (let round = 0; round < ROUNDS; round++) {
  const order = round % 2 === 0 ? [...stores] : [...stores].toReversed();
  for (const [name, store] of order) {
    const cost = await runRound(store);
    if (round >= WARM_UPS) costs.get(name)?.push(cost);
  }
}
for (const store of stores.values()) await store.close();
for (const [name, each] of costs) {
  const sorted = each.toSorted((a, b) => a - b);
  const shown = [sorted[sorted.length >> 1] ?? 0, sorted[0] ?? 0].map((cost) => cost.toFixed(0));
  console.log(`${name.padEnd(28)} median ${shown[0]} µs, least ${shown[1]} µs`);
}

function keyOf(number: number): string {
  return `key_${String(number % keys).padStart(32, "0")}`;
}

async function open(path: string, without: readonly string[]): Promise<Store> {
  await (await openSqliteStore({ location: path, clock })).close();
  const database = new DatabaseSync(path);
  for (const index of without) database.exec(`drop index ${index}`);
  database.close();
  const store = await openSqliteStore({ location: path, clock });
  await store.createOrganization({ by: TESTS, id: organizationId, name: "x", createdAt: 1 });
  await store.addCredits({ by: TESTS, transactionId: "t", organizationId, amountNano: 10n ** 18n, createdAt: 1 });
  for (let number = 0; number < keys; number++) {
    const id = keyOf(number);
    const key = {
      id,
      organizationId,
      memberId: null,
      name: id,
      permission: "all",
      createdAt: 1,
      revokedAt: null,
    } as const;
    await store.createKey({ by: TESTS, key, secret: { lookup: id, hash: id } });
  }
  return store;
}

/** CPU for each turn, microseconds. */
async function runRound(store: Store): Promise<number> {
  let left = TURNS;
  const began = process.cpuUsage();
  const runSome = async () => {
    while (left-- > 0) {
      const time = Date.now().toString(16).padStart(12, "0");
      const id: ResponseId = `resp_${time}${String(++made).padStart(20, "0")}`;
      await runResponse(store, {
        head: { id, turnId: id, createdAt: Math.floor(Date.now() / 1000) },
        begin: { caller: { organizationId, keyId: keyOf(made) }, funds: { prices, holdNano: 10_000_000n } },
      });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, runSome));
  const { user, system } = process.cpuUsage(began);
  return (user + system) / TURNS;
}
