/** Closed loop: a fixed number of clients, each sending its next request as soon as the last answer is whole. */
import { setTimeout as sleep } from "node:timers/promises";
import { Connection } from "./connection.ts";
import type { Metrics } from "../row.ts";
import { count, describe } from "./tally.ts";
import { quantile } from "./latency.ts";
import { watchCpu } from "../process/cpu.ts";

export interface ClosedLoop {
  readonly port: number;
  readonly clients: number;
  readonly seconds: number;
  /** The requests, sent in turn. */
  readonly requests: readonly Buffer[];
  /** The process whose CPU is counted; nobody's when left out. */
  readonly pid?: number;
  /** The status every answer must have. */
  readonly status?: number;
  /** Other statuses that may come up now and then; such answers are not counted. */
  readonly tolerated?: readonly number[];
  /** Bytes that a whole answer has at least; less means that a stream was cut or a turn failed. */
  readonly bytesMin?: number;
  readonly marker?: string;
}

/** Time before counting starts: connections open and queues fill. */
const RAMP_MILLISECONDS = 300;
const DRAIN_MILLISECONDS = 20_000;

/**
 * Runs the loop and answers `rate` (answers a second), `p50`, `p99` and `max` (ms, whole answers), `first` (ms to the
 * marker, p50), and of a process that it was given `cpu` (µs an answer) and `busy` (share of one core that was used).
 * Refuses with an error when answers were wrong: a benchmark of failures is worth nothing.
 */
export async function closedLoop(loop: ClosedLoop): Promise<Metrics> {
  const { promise: drained, resolve: drain } = Promise.withResolvers<void>();
  const { status = 200, bytesMin = 0 } = loop;
  const latencies: number[] = [];
  const firsts: number[] = [];
  const wrong = new Map<string, number>();
  const connections = new Set<Connection>();
  let [isCounting, isOver, next, busy] = [false, false, 0, 0];

  const open = (): void => {
    let sentAt = 0;
    const send = (): void => {
      const request = loop.requests[next++ % loop.requests.length];
      if (request === undefined) throw new Error("a closed loop needs a request");
      busy++;
      sentAt = performance.now();
      connection.send(request);
    };
    const connection = new Connection({
      port: loop.port,
      marker: loop.marker,
      onAnswer: (answer) => {
        busy--;
        if (loop.tolerated?.includes(answer.status) === true) void 0;
        else if (answer.status !== status) count(wrong, `status ${answer.status}`);
        else if (answer.bytes < bytesMin) count(wrong, `only ${answer.bytes} bytes`);
        else if (isCounting) {
          latencies.push(performance.now() - sentAt);
          if (answer.markedAt > 0) firsts.push(answer.markedAt - sentAt);
        }
        if (!isOver) send();
        else if (busy === 0) drain();
      },
      onClose: (wasBusy) => {
        connections.delete(connection);
        if (wasBusy) {
          busy--;
          count(wrong, "connection lost");
        }
        if (isOver && busy === 0) drain();
        else if (!isOver) setTimeout(() => !isOver && open(), 10);
      },
    });
    connections.add(connection);
    send();
  };

  for (let client = 0; client < loop.clients; client++) open();
  await sleep(RAMP_MILLISECONDS);
  isCounting = true;
  const countedMs = performance.now();
  const cpu = loop.pid === undefined ? null : watchCpu(loop.pid);
  await sleep(loop.seconds * 1000);
  isCounting = false;
  isOver = true;
  const wallSeconds = (performance.now() - countedMs) / 1000;
  const cpuSeconds = cpu?.();
  await Promise.race([drained, sleep(DRAIN_MILLISECONDS, undefined, { ref: false })]);
  for (const connection of connections) connection.destroy();
  if (wrong.size > 0) throw new Error(`wrong answers: ${describe(wrong)} (beside ${latencies.length} right ones)`);
  return {
    rate: latencies.length / wallSeconds,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    max: quantile(latencies, 1),
    first: quantile(firsts, 0.5),
    ...(cpuSeconds === undefined ? {} : { cpu: (cpuSeconds * 1e6) / latencies.length, busy: cpuSeconds / wallSeconds }),
  };
}
