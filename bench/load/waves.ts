/** Waves: a number of requests is sent at once, and the next wave after all have completed. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Metrics } from "../row.ts";
import { Connection } from "./connection.ts";
import { quantile } from "./latency.ts";

export interface Waves {
  readonly port: number;
  readonly together: number;
  readonly seconds: number;
  readonly request: Buffer;
  readonly marker: string;
}

const PAUSE_MS = 5;

/** Runs waves. Returns `first`: ms from the sending of a request to its marker, p50 over all. */
export async function waves({ port, together, seconds, request, marker }: Waves): Promise<Metrics> {
  const firsts: number[] = [];
  let sentAt = 0;
  let owed = 0;
  const failures: string[] = [];
  let wave = Promise.withResolvers<void>();
  const settle = (): void => {
    if (--owed === 0) wave.resolve();
  };
  const connections = Array.from(
    { length: together },
    () =>
      new Connection({
        port,
        marker,
        onResponse: ({ status, markedAt }) => {
          if (status !== 200 || markedAt === 0)
            failures.push(`status ${status}, marker ${markedAt > 0 ? "seen" : "not seen"}`);
          else firsts.push(markedAt - sentAt);
          settle();
        },
        onClose: () => {
          failures.push("connection lost");
          wave.resolve();
        },
      }),
  );
  // The sockets connect before the first wave, so that no handshakes are measured.
  await sleep(50);
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end && failures.length === 0) {
    wave = Promise.withResolvers();
    owed = together;
    sentAt = performance.now();
    for (const connection of connections) connection.send(request);
    await wave.promise;
    await sleep(PAUSE_MS);
  }
  for (const connection of connections) connection.destroy();
  if (failures.length > 0) throw new Error(`a wave failed: ${failures[0]}`);
  return { first: quantile(firsts, 0.5), firstP99: quantile(firsts, 0.99) };
}
