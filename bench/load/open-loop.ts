/**
 * Open loop: requests are sent at the times of a Poisson process, whether or not earlier ones have completed, each on
 * an idle connection or a new one. Times are rounded to the millisecond of the timer; latency counts from the sending.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Metrics } from "../row.ts";
import { Connection } from "./connection.ts";
import { count, describe, total } from "./tally.ts";
import { quantile } from "./latency.ts";
import { poissonArrivals } from "./random.ts";

export interface OpenLoop {
  readonly port: number;
  /** Requests per second. */
  readonly rate: number;
  readonly seconds: number;
  readonly request: Buffer;
  readonly seed: number;
  /** Statuses that count as rejections, not as wrong responses. */
  readonly rejections?: readonly number[];
  /** Minimum size of an accepted response, bytes. */
  readonly bytesMin?: number;
}

/** Connections opened before the first request, so that no burst of handshakes is measured. */
const CONNECTIONS_AT_START = 256;
/** Maximum number of connections; beyond it a request waits for one, as behind a proxy, and the wait counts. */
const CONNECTIONS_MAX = 4096;
/** Share of the arrivals that warms up the path and is not counted. */
const RAMP_SHARE = 0.15;
/** Tolerated lost connections, which are reported; more make the measurement worthless. */
const WRONG_SHARE_MAX = 0.005;
const CONNECT_MS = 100;
const TICK_MS = 1;
const DRAIN_MS = 20_000;

/** A pending request. */
interface Sending {
  readonly sentAt: number;
  readonly isCounted: boolean;
}

interface RequestContext {
  readonly connection: Connection;
  sending: Sending;
}

const NOTHING: Sending = { sentAt: 0, isCounted: false };

/**
 * Runs the loop. Returns `offered` and `goodput` (sent and accepted per second), `p50`, `p75` and `p99` of the accepted,
 * `rejected` (per second), `rejectionP99` (ms; 0 without rejections), `wrong` (neither accepted nor rejected, in total)
 * and `lag` (p99 of how late requests were sent, ms). Throws when more than a few were wrong.
 */
export async function openLoop(loop: OpenLoop): Promise<Metrics> {
  const arrivals = poissonArrivals(loop.rate, loop.seconds, loop.seed);
  const countFrom = loop.seconds * 1000 * RAMP_SHARE;
  const { promise: done, resolve: finish } = Promise.withResolvers<void>();
  const accepted: number[] = [];
  const rejected: number[] = [];
  const lags: number[] = [];
  const idle: RequestContext[] = [];
  const waiting: Sending[] = [];
  const all = new Set<RequestContext>();
  const wrong = new Map<string, number>();
  let [next, owed, acceptedInTime] = [0, 0, 0];

  const send = (exchange: RequestContext, sending: Sending): void => {
    exchange.sending = sending;
    exchange.connection.send(loop.request);
  };
  const settle = (): void => {
    owed--;
    if (next >= arrivals.length && owed === 0) finish();
  };
  const open = (): RequestContext => {
    const exchange: RequestContext = {
      sending: NOTHING,
      connection: new Connection({
        port: loop.port,
        onResponse: ({ status, bytes }) => {
          const now = performance.now();
          const isRejection = loop.rejections?.includes(status) === true;
          if (!isRejection && status !== 200) count(wrong, `status ${status}`);
          else if (!isRejection && bytes < (loop.bytesMin ?? 0)) count(wrong, "a response cut short");
          else if (exchange.sending.isCounted) {
            (isRejection ? rejected : accepted).push(now - exchange.sending.sentAt);
            if (!isRejection && now - startedAt <= loop.seconds * 1000) acceptedInTime++;
          }
          const sending = waiting.shift();
          if (sending === undefined) idle.push(exchange);
          else send(exchange, sending);
          settle();
        },
        onClose: (wasBusy) => {
          all.delete(exchange);
          const index = idle.indexOf(exchange);
          if (index >= 0) idle.splice(index, 1);
          if (wasBusy) {
            count(wrong, "connection lost");
            settle();
          }
        },
      }),
    };
    all.add(exchange);
    return exchange;
  };

  while (all.size < CONNECTIONS_AT_START) idle.push(open());
  await sleep(CONNECT_MS);
  const startedAt = performance.now();
  const timer = setInterval(() => {
    const now = performance.now() - startedAt;
    for (let due = arrivals[next]; due !== undefined && due <= now; due = arrivals[++next]) {
      owed++;
      lags.push(now - due);
      const sending = { sentAt: performance.now(), isCounted: due >= countFrom };
      const free = idle.pop() ?? (all.size < CONNECTIONS_MAX ? open() : undefined);
      if (free === undefined) waiting.push(sending);
      else send(free, sending);
    }
    if (next >= arrivals.length) {
      clearInterval(timer);
      setTimeout(finish, DRAIN_MS).unref();
      if (owed === 0) finish();
    }
  }, TICK_MS);

  await done;
  for (const { connection } of all) connection.destroy();
  if (owed > 0) count(wrong, "no response", owed);
  if (total(wrong) > arrivals.length * WRONG_SHARE_MAX) {
    throw new Error(`wrong responses: ${describe(wrong)} (beside ${accepted.length} right ones)`);
  }
  const countedSeconds = loop.seconds * (1 - RAMP_SHARE);
  return {
    offered: arrivals.filter((at) => at >= countFrom).length / countedSeconds,
    goodput: acceptedInTime / countedSeconds,
    p50: quantile(accepted, 0.5),
    p75: quantile(accepted, 0.75),
    p99: quantile(accepted, 0.99),
    rejected: rejected.length / countedSeconds,
    rejectionP99: rejected.length === 0 ? 0 : quantile(rejected, 0.99),
    wrong: total(wrong),
    lag: quantile(lags, 0.99),
  };
}
