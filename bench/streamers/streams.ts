/**
 * Runs many concurrent streams inside the measured process, which alone knows how many deltas it has read at the moment
 * its CPU time is taken. Serves on PORT to show that it is ready. A message with a number of seconds on the IPC channel
 * starts a measurement; the reply has its numbers, or `error`.
 */
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { DELTAS } from "../provider/script.ts";

/** Reads one complete stream of `fake-burst`; `onDelta` receives the text of each delta. */
export type ReadStream = (onDelta: (text: string) => void) => Promise<void>;

const STREAMS = 64;
/** Warm-up before measuring: connections open. */
const RAMP_MS = 150;

/** Serves measurements until the process is stopped. */
export function serveStreams(readStream: ReadStream): void {
  process.on("message", (message) => {
    measure(readStream, Number(message)).then(
      (metrics) => process.send?.(metrics),
      (error: unknown) => process.send?.({ error: String(error) }),
    );
  });
  createServer((_request, response) => response.end()).listen(Number(process.env["PORT"]), "127.0.0.1");
}

/** Returns `cpu` (µs per delta), `rate` (deltas per second) and `busy` (share of one core). */
async function measure(readStream: ReadStream, seconds: number): Promise<object> {
  const run = { deltas: 0, isOver: false };

  async function readOneByOne(): Promise<void> {
    while (!run.isOver) {
      let [read, text] = [0, ""];
      await readStream((delta) => {
        run.deltas++;
        read++;
        text += delta;
      });
      if (read !== DELTAS) throw new Error(`a stream with ${read} of ${DELTAS} deltas, ending in: ${text.slice(-100)}`);
    }
  }

  const streams = Promise.all(Array.from({ length: STREAMS }, readOneByOne));
  // A failure ends the measurement at once.
  await Promise.race([sleep(RAMP_MS), streams]);
  const [cpuBefore, wallBefore, deltasBefore] = [process.cpuUsage(), performance.now(), run.deltas];
  await Promise.race([sleep(seconds * 1000), streams]);
  const cpu = process.cpuUsage(cpuBefore);
  const cpuMicroseconds = cpu.user + cpu.system;
  const wallMicroseconds = (performance.now() - wallBefore) * 1000;
  const counted = run.deltas - deltasBefore;
  run.isOver = true;
  await streams;
  return {
    cpu: cpuMicroseconds / counted,
    rate: (counted / wallMicroseconds) * 1e6,
    busy: cpuMicroseconds / wallMicroseconds,
  };
}
