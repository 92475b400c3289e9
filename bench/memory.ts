// Memory over hours of ordinary work: `node bench/memory.ts [MINUTES] [TURNS PER SECOND]`, 60 and 300 if not given.
// Turns with prices and a body of 3.4 KB come as a Poisson process to one process with an embedded store. Prints its
// resident memory each minute, then the mean of each sixth of the run: they are level when nothing leaks.
import { DEFAULT_FAMILY } from "./families.ts";
import { closeExchanges } from "./load/exchange.ts";
import { openLoop } from "./load/open-loop.ts";
import { requestBytes } from "./load/request.ts";
import { responsesTurn } from "./load/turn.ts";
import { pinSelf } from "./process/cores.ts";
import { residentBytes } from "./process/cpu.ts";
import { startTurngate } from "./service/turngate.ts";
import { startTarget } from "./targets/target.ts";

const PARTS = 6;
const SECONDS = 60;
const MEGABYTE = 1e6;
/** What a node that other work has held up replies to some. */
const BUSY = [503];

const minutes = Number(process.argv[2] ?? 60);
const rate = Number(process.argv[3] ?? 300);
pinSelf();
const provider = await startTarget("PROVIDER");
const turngate = await startTurngate({ providerPort: provider.port, family: DEFAULT_FAMILY });
const { port, pid, headers } = turngate;
const request = requestBytes(responsesTurn({ model: "fake", isStream: false, headers }));
const resident: number[] = [];
for (let minute = 1; minute <= minutes; minute++) {
  // oxlint-disable-next-line no-await-in-loop -- one minute after the other
  const load = await openLoop({ port, rate, seconds: SECONDS, request, seed: minute, rejections: BUSY });
  resident.push(residentBytes(pid) / MEGABYTE);
  console.log(
    `minute ${minute}\t${Math.round(resident.at(-1) ?? 0)} MB\t${Math.round(load["goodput"] ?? 0)} turns/s` +
      `, ${Math.round(load["rejected"] ?? 0)} rejected\tp99 ${(load["p99"] ?? 0).toFixed(1)} ms`,
  );
}
const size = Math.ceil(resident.length / PARTS);
const means = Array.from({ length: PARTS }, (_, part) => mean(resident.slice(part * size, (part + 1) * size)));
console.log(`mean of each sixth: ${means.filter(Number.isFinite).map(Math.round).join(", ")} MB`);
await turngate.stop();
await provider.stop();
closeExchanges();
process.exit();

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
