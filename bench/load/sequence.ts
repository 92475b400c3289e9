/** One request after the other: what a single call costs when nothing else runs. */
import type { Metrics } from "../row.ts";
import { exchangeOk } from "./exchange.ts";
import { quantile } from "./latency.ts";
import type { RequestParts } from "./request.ts";

export interface Sequence {
  readonly port: number;
  readonly requests: number;
  /** The next request; given the last answer, so that a chain can follow it. */
  readonly next: (lastAnswer: string) => RequestParts;
}

/** Runs requests one by one and answers `p50` in milliseconds. */
export async function sequence({ port, requests, next }: Sequence): Promise<Metrics> {
  const latencies: number[] = [];
  let answer = "";
  for (let index = 0; index < requests; index++) {
    const parts = next(answer);
    const startedAt = performance.now();
    answer = await exchangeOk(port, parts);
    latencies.push(performance.now() - startedAt);
  }
  return { p50: quantile(latencies, 0.5) };
}
