// npm run test:crash [-- --cycles N --seed N --clients N --start-ms N]
import { parseArgs } from "node:util";
import { runCrashes } from "./crash-run.ts";
import { POINTS } from "./points.ts";

const { values } = parseArgs({
  options: {
    cycles: { type: "string", default: "50" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
    clients: { type: "string", default: "20" },
    // Most milliseconds of a restart; raise it only on a busy machine.
    "start-ms": { type: "string", default: "2000" },
  },
});
const [cycles, seed, clients] = [Number(values.cycles), Number(values.seed), Number(values.clients)];
const say = (line: string) => process.stdout.write(`${line}\n`);

say(`crash test: ${cycles} cycles, ${clients} clients, seed ${seed}`);
const startedMs = performance.now();
const figures = await runCrashes({
  cycles,
  seed,
  clients,
  startMsMax: Number(values["start-ms"]),
  lateMs: 2500,
  report: say,
}).catch((error: unknown) => {
  say(`the crash test could not go on: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(2);
});
const seconds = Math.round((performance.now() - startedMs) / 1000);

const { starts, deaths } = figures;
const at = (share: number) => Math.round(starts[Math.min(starts.length - 1, Math.floor(starts.length * share))] ?? 0);
const points = POINTS.filter((point) => (deaths[point] ?? 0) > 0).length;
say(
  `deaths: ${Object.entries(deaths)
    .map(([death, count]) => `${death} ${count}`)
    .join(", ")}`,
);
say(
  `${figures.intents} intents, ${figures.repeats} sent again, ${figures.responses} responses heard of, ${figures.runFailed} failed by a crash, ` +
    `${figures.providerCalls} provider calls; ${points} of ${POINTS.length} points; restarts p50 ${at(0.5)} ms, longest ${at(1)} ms; ${seconds} s`,
);
if (figures.violations.length === 0) say("no violation");
else {
  for (const violation of figures.violations.slice(0, 20)) say(`VIOLATION ${violation}`);
  say(
    `${figures.violations.length} violations; again with: npm run test:crash -- --cycles ${cycles} --seed ${seed} --clients ${clients}`,
  );
}
process.exit(figures.violations.length === 0 ? 0 : 1);
