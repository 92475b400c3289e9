// npm run test:nodes [-- --cycles N --clients N --seed N]: three real processes on one real PostgreSQL are killed and
// paused while clients create turns. See docs/reliability.md, G-02, F-02, F-03, F-31
import { parseArgs } from "node:util";
import { runCycles } from "./cycles.ts";

const { values } = parseArgs({
  options: {
    cycles: { type: "string", default: "30" },
    clients: { type: "string", default: "12" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
});
const [cycles, clients, seed] = [Number(values.cycles), Number(values.clients), Number(values.seed)];
const print = (line: string) => process.stdout.write(`${line}\n`);

print(`nodes test: ${cycles} cycles, ${clients} clients, seed ${seed}`);
const { acknowledged, sentAgain, failed, violations } = await runCycles({ cycles, clients, seed, report: print });
print(`${acknowledged} turns acknowledged, ${sentAgain} requests sent again, ${failed} turns failed with their node`);
for (const violation of violations.slice(0, 20)) print(`VIOLATION ${violation}`);
print(violations.length === 0 ? "no violation" : `${violations.length} violations`);
process.exit(violations.length === 0 ? 0 : 1);
