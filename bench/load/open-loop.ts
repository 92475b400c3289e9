/**
 * Open loop: requests leave at the times of a Poisson stream whether or not earlier ones were answered, each on an idle
 * connection or a new one. Times are cut to the millisecond tick of the timer; latency counts from the sending.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Metrics } from "../row.ts";
import { Connection } from "./connection.ts";
import { count, describe, total } from "./tally.ts";
import { quantile } from "./latency.ts";
import { poissonArrivals } from "./random.ts";

export interface OpenLoop {
  readonly port: number;
  /** Requests a second. */
  readonly rate: number;
  readonly seconds: number;
  readonly request: Buffer;
  readonly seed: number;
  /** Statuses that are counted as refusals rather than as wrong answers. */
  readonly refusals?: readonly number[];
  /** Bytes that an accepted answer has at least. */
  readonly bytesMin?: number;
}

/** Connections that are open before the first request leaves, so that no storm of handshakes is measured. */
const CONNECTIONS_AT_START = 256;
/** More connections than this and a request waits for one, as it would behind a proxy; the wait counts. */
const CONNECTIONS_MAX = 4096;
/** The first part of the arrivals warms the path up and is not counted. */
const RAMP_SHARE = 0.15;
/** A lost connection in a flood is told as a figure; more of them make the measurement worthless. */
const WRONG_SHARE_MAX = 0.005;
const CONNECT_MILLISECONDS = 100;
const TICK_MILLISECONDS = 1;
const DRAIN_MILLISECONDS = 20_000;

/** A request on its way. */
interface Sending {
  readonly sentAt: number;
  readonly isCounted: boolean;
}

interface Exchange {
  readonly connection: Connection;
  sending: Sending;
}

const NOTHING: Sending = { sentAt: 0, isCounted: false };

/**
 * Runs the loop and answers `offered` and `goodput` (sent and accepted a second), `p50` and `p99` of the accepted,
 * `refused` (a second), `refusalP99` (ms; 0 without refusals), `wrong` (neither accepted nor refused, in all) and `lag`
 * (p99 of how late requests left, ms). Refuses with an error when more than a few were wrong.
 */
export async function openLoop(loop: OpenLoop): Promise<Metrics> {
  const arrivals = poissonArrivals(loop.rate, loop.seconds, loop.seed);
  const countFrom = loop.seconds * 1000 * RAMP_SHARE;
  const { promise: done, resolve: finish } = Promise.withResolvers<void>();
  const accepted: number[] = [];
  const refused: number[] = [];
  const lags: number[] = [];
  const idle: Exchange[] = [];
  const waiting: Sending[] = [];
  const all = new Set<Exchange>();
  const wrong = new Map<string, number>();
  let [next, owed, acceptedInTime] = [0, 0, 0];

  const send = (exchange: Exchange, sending: Sending): void => {
    exchange.sending = sending;
    exchange.connection.send(loop.request);
  };
  const settle = (): void => {
    owed--;
    if (next >= arrivals.length && owed === 0) finish();
  };
  const open = (): Exchange => {
    const exchange: Exchange = {
      sending: NOTHING,
      connection: new Connection({
        port: loop.port,
        onAnswer: ({ status, bytes }) => {
          const now = performance.now();
          const isRefusal = loop.refusals?.includes(status) === true;
          if (!isRefusal && status !== 200) count(wrong, `status ${status}`);
          else if (!isRefusal && bytes < (loop.bytesMin ?? 0)) count(wrong, "an answer cut short");
          else if (exchange.sending.isCounted) {
            (isRefusal ? refused : accepted).push(now - exchange.sending.sentAt);
            if (!isRefusal && now - startedAt <= loop.seconds * 1000) acceptedInTime++;
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
  await sleep(CONNECT_MILLISECONDS);
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
      setTimeout(finish, DRAIN_MILLISECONDS).unref();
      if (owed === 0) finish();
    }
  }, TICK_MILLISECONDS);

  await done;
  for (const { connection } of all) connection.destroy();
  if (owed > 0) count(wrong, "no answer", owed);
  if (total(wrong) > arrivals.length * WRONG_SHARE_MAX) {
    throw new Error(`wrong answers: ${describe(wrong)} (beside ${accepted.length} right ones)`);
  }
  const countedSeconds = loop.seconds * (1 - RAMP_SHARE);
  return {
    offered: arrivals.filter((at) => at >= countFrom).length / countedSeconds,
    goodput: acceptedInTime / countedSeconds,
    p50: quantile(accepted, 0.5),
    p99: quantile(accepted, 0.99),
    refused: refused.length / countedSeconds,
    refusalP99: refused.length === 0 ? 0 : quantile(refused, 0.99),
    wrong: total(wrong),
    lag: quantile(lags, 0.99),
  };
}
