// npm run test:nodes [-- --cycles N --clients N --seed N --keys N --twins N]: three nodes on one real PostgreSQL. Equal
// requests race; a rolling restart under load; nodes are killed and paused, the database restarts, and connections are
// cut after COMMIT, while clients create responses. docs/reliability.md, F-02, F-03, F-05, F-07, F-31, F-34;
// docs/decisions/tests.md, G-02, G-03, G-11
import { parseArgs } from "node:util";
import { createSecrets } from "../../src/system/hashing.ts";
import { openCommandLine } from "../cli/command-line.ts";
import { startService } from "../cli/service-process.ts";
import { runCycles } from "./cycles.ts";
import { startPostgresProxy } from "../store/postgres-proxy.ts";
import { startServer } from "../store/postgres-server.ts";
import { runRolling } from "./rolling.ts";
import { runTwins } from "./twins.ts";

const { values } = parseArgs({
  options: {
    cycles: { type: "string", default: "30" },
    clients: { type: "string", default: "12" },
    keys: { type: "string", default: "100" },
    twins: { type: "string", default: "50" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
});
const [cycles, clients, seed] = [Number(values.cycles), Number(values.clients), Number(values.seed)];
/** What may happen in a cycle; what stands there more often happens more often. */
const FATES = ["restart the database", "pause", "kill", "kill", "lose commits", "lose commits"] as const;
const print = (line: string) => process.stdout.write(`${line}\n`);

const found: string[] = [];

const [keys, twins] = [Number(values.keys), Number(values.twins)];
print(`twins: ${keys} keys, ${twins} equal requests each`);
found.push(...(await runTwins(keys, twins)));

print(`rolling restart: ${clients} clients`);
const rolled = await runRolling(clients, print);
print(`${rolled.answered} requests answered, ${rolled.violations.length} failed`);
found.push(...rolled.violations);

print(`cycles: ${cycles}, ${clients} clients, seed ${seed}`);
const server = await startServer();
const database = await server.createDatabase();
const endings: (() => void)[] = [];
const proxy = await startPostgresProxy({ after: (end) => void endings.push(end as () => void) }, server.url(database));
const line = openCommandLine();
const rootSecret = "a secret of the nodes test, long enough";
const { secret: apiKey } = createSecrets(rootSecret).mintApiKey();
const variables = {
  DATABASE_URL: proxy.url,
  TURNGATE_SECRET: rootSecret,
  TURNGATE_BOOTSTRAP_API_KEY: apiKey,
};
const { acknowledged, sentAgain, failed, happened, lost, slowestMs, violations } = await runCycles(
  { server, database, apiKey, speed: 1, start: () => startService(line, variables), proxy },
  { cycles, clients, seed, fates: FATES, lanes: 1, report: print },
);
for (const end of endings) end();
line.remove();
print(`${JSON.stringify(happened)}, ${lost} connections cut after COMMIT`);
print(`${acknowledged} turns acknowledged, ${sentAgain} requests sent again, ${failed} turns failed with their node`);
print(`slowest reply of a node that nothing had happened to: ${Math.round(slowestMs)} ms`);
found.push(...violations);

for (const violation of found.slice(0, 20)) print(`VIOLATION ${violation}`);
print(found.length === 0 ? "no violation" : `${found.length} violations`);
process.exit(found.length === 0 ? 0 : 1);
