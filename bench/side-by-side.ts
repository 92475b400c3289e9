// CPU of a request in several checkouts, alternating in one run: `node bench/side-by-side.ts CHECKOUT CHECKOUT...`. Each is the folder
// of a clone with its packages installed. Prints the whole process, then its threads.
import { DEFAULT_FAMILY } from "./families.ts";
import { closedLoop, type ClosedLoop } from "./load/closed-loop.ts";
import { closeExchanges, exchangeOk } from "./load/exchange.ts";
import { median } from "./load/latency.ts";
import { requestBytes } from "./load/request.ts";
import { responsesTurn } from "./load/turn.ts";
import { pinSelf } from "./process/cores.ts";
import { type Metrics, WARM_SECONDS } from "./row.ts";
import { startTurngate, type Turngate } from "./service/turngate.ts";
import { startTarget } from "./targets/target.ts";

const ROUNDS = 9;
/** Of a round. */
const SECONDS = 2;
/** The threads that are shown. V8's helper collects garbage and compiles. */
const THREADS = {
  main: "node-MainThread",
  writer: "store-writer",
  checkpointer: "store-checkpoin",
  helper: "node-V8Worker",
};
const ITEMS = 20;

type Load = Pick<ClosedLoop, "requests" | "status" | "clients">;

/** The requests that are measured, by name. */
async function prepareLoads({ port, headers, unknownHeaders }: Turngate): Promise<ReadonlyMap<string, Load>> {
  const turn = responsesTurn({ model: "fake", isStream: false, headers });
  const { id } = JSON.parse(await exchangeOk(port, turn)) as { id: string };
  const items = Array.from({ length: ITEMS }, (_, at) => ({ role: "user", content: `item ${at} of the page` }));
  const created = await exchangeOk(port, { method: "POST", path: "/v1/conversations", headers, body: { items } });
  const conversation = JSON.parse(created) as { id: string };
  const get = (path: string, from = headers) => [requestBytes({ method: "GET", path, headers: from })];
  const refused = requestBytes({
    method: "POST",
    path: "/v1/responses",
    headers,
    body: { model: "bench/fake", input: 7 },
  });
  return new Map<string, Load>([
    ["stored turn", { requests: [requestBytes(turn)], status: 200, clients: 128 }],
    ["retrieve", { requests: get(`/v1/responses/${id}`), status: 200, clients: 32 }],
    ["page of 20", { requests: get(`/v1/conversations/${conversation.id}/items`), status: 200, clients: 32 }],
    ["400", { requests: [refused], status: 400, clients: 32 }],
    ["401", { requests: get(`/v1/responses/${id}`, unknownHeaders), status: 401, clients: 32 }],
    ["404", { requests: get(`/v1/responses/resp_${"0".repeat(32)}`), status: 404, clients: 32 }],
  ]);
}

pinSelf();
const provider = await startTarget("PROVIDER");
const sides: { service: Turngate; loads: ReadonlyMap<string, Load>; rounds: Map<string, Metrics[]> }[] = [];
// oxlint-disable no-await-in-loop -- one after another
for (const root of process.argv.slice(2)) {
  const service = await startTurngate({ providerPort: provider.port, family: DEFAULT_FAMILY, root });
  sides.push({ service, loads: await prepareLoads(service), rounds: new Map() });
}
for (const name of sides[0]?.loads.keys() ?? []) {
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { service, loads, rounds } of round % 2 === 0 ? sides : sides.toReversed()) {
      const load = loads.get(name);
      if (load === undefined) continue;
      const seconds = round === 0 ? WARM_SECONDS : SECONDS;
      const metrics = await closedLoop({ port: service.port, pid: service.pid, seconds, ...load });
      if (round > 0) rounds.set(name, [...(rounds.get(name) ?? []), metrics]);
    }
  }
  console.log(`${name.padEnd(12)} ${shown(name, "cpu")}`);
  for (const [thread, metric] of Object.entries(THREADS)) console.log(`  ${thread.padEnd(12)} ${shown(name, metric)}`);
}
for (const { service } of sides) await service.stop();
// oxlint-enable no-await-in-loop
await provider.stop();
closeExchanges();

/** A metric of each side: median, smallest and largest. */
function shown(name: string, metric: string): string {
  const figures = sides.map(({ rounds }) => (rounds.get(name) ?? []).map((each) => each[metric] ?? 0));
  return figures
    .map((all) => `${median(all).toFixed(0)} µs (${Math.min(...all).toFixed(0)}–${Math.max(...all).toFixed(0)})`)
    .join("   ");
}
