/** Sequential requests: the cost of a single call on an idle service. */
import type { Metrics } from "../row.ts";
import { exchangeOk } from "./exchange.ts";
import { quantile } from "./latency.ts";
import type { RequestParts } from "./request.ts";

export interface Sequence {
  readonly port: number;
  readonly requests: number;
  /** The next request, given the last response, so that chains are possible. */
  readonly next: (lastResponse: string) => RequestParts;
}

/** Runs requests one by one. Returns `p50` in milliseconds. */
export async function sequence({ port, requests, next }: Sequence): Promise<Metrics> {
  const latencies: number[] = [];
  let response = "";
  for (let index = 0; index < requests; index++) {
    const parts = next(response);
    const startedAt = performance.now();
    response = await exchangeOk(port, parts);
    latencies.push(performance.now() - startedAt);
  }
  return { p50: quantile(latencies, 0.5) };
}
