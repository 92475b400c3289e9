// npm run test:nodes [-- --cycles N --clients N --seed N --keys N --twins N]: three nodes on one real PostgreSQL. Equal
// requests race; a rolling restart under load; nodes are killed and paused and the database restarts while clients create
// turns. See docs/reliability.md, G-02, G-03, G-11, F-02, F-03, F-05, F-31, F-34
import { parseArgs } from "node:util";
import { runCycles } from "./cycles.ts";
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
const { acknowledged, sentAgain, failed, violations } = await runCycles({ cycles, clients, seed, report: print });
print(`${acknowledged} turns acknowledged, ${sentAgain} requests sent again, ${failed} turns failed with their node`);
found.push(...violations);

for (const violation of found.slice(0, 20)) print(`VIOLATION ${violation}`);
print(found.length === 0 ? "no violation" : `${found.length} violations`);
process.exit(found.length === 0 ? 0 : 1);
