/** Closed loop: a fixed number of clients, each sending its next request when the last response is complete. */
import { setTimeout as sleep } from "node:timers/promises";
import { Connection } from "./connection.ts";
import type { Metrics } from "../row.ts";
import { count, describe } from "./tally.ts";
import { quantile } from "./latency.ts";
import { watchCpu, watchThreads } from "../process/cpu.ts";

export interface ClosedLoop {
  readonly port: number;
  readonly clients: number;
  readonly seconds: number;
  /** The requests, sent in turn. */
  readonly requests: readonly Buffer[];
  /** The process whose CPU time is measured, if any. */
  readonly pid?: number;
  /** The expected status. */
  readonly status?: number;
  /** Other statuses that may occur; such responses are not counted. */
  readonly tolerated?: readonly number[];
  /** Minimum size of a complete response, bytes; less means that a stream was cut or a turn failed. */
  readonly bytesMin?: number;
  readonly marker?: string;
}

/** Warm-up before measuring: connections open and queues fill. */
const RAMP_MS = 300;
const DRAIN_MS = 20_000;

/**
 * Runs the loop. Returns `rate` (responses per second), `p50`, `p99` and `max` (ms, complete responses), `first` (ms to
 * the marker, p50), and for a given process `cpu` (µs per response), `busy` (share of one core) and the µs per response
 * of each of its threads by name. Throws on wrong responses: a benchmark of failures is worthless.
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
      onResponse: (response) => {
        busy--;
        if (loop.tolerated?.includes(response.status) === true) void 0;
        else if (response.status !== status) count(wrong, `status ${response.status}`);
        else if (response.bytes < bytesMin) count(wrong, `only ${response.bytes} bytes`);
        else if (isCounting) {
          latencies.push(performance.now() - sentAt);
          if (response.markedAt > 0) firsts.push(response.markedAt - sentAt);
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
  await sleep(RAMP_MS);
  isCounting = true;
  const countedMs = performance.now();
  const cpu = loop.pid === undefined ? null : watchCpu(loop.pid);
  const threads = loop.pid === undefined ? null : watchThreads(loop.pid);
  await sleep(loop.seconds * 1000);
  isCounting = false;
  isOver = true;
  const wallSeconds = (performance.now() - countedMs) / 1000;
  const cpuSeconds = cpu?.();
  const threadSeconds = [...(threads?.() ?? [])];
  await Promise.race([drained, sleep(DRAIN_MS, undefined, { ref: false })]);
  for (const connection of connections) connection.destroy();
  if (wrong.size > 0) throw new Error(`wrong responses: ${describe(wrong)} (beside ${latencies.length} right ones)`);
  return {
    rate: latencies.length / wallSeconds,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    max: quantile(latencies, 1),
    first: quantile(firsts, 0.5),
    ...Object.fromEntries(threadSeconds.map(([name, seconds]) => [name, (seconds * 1e6) / latencies.length])),
    ...(cpuSeconds === undefined ? {} : { cpu: (cpuSeconds * 1e6) / latencies.length, busy: cpuSeconds / wallSeconds }),
  };
}
