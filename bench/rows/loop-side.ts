/** Sides that put a closed loop of small requests on a server: reads and refusals. */
import { closedLoop } from "../load/closed-loop.ts";
import { exchange } from "../load/exchange.ts";
import { requestBytes, type RequestParts } from "../load/request.ts";
import type { Child } from "../process/child.ts";
import type { Figure, Side } from "../row.ts";

export interface LoopOptions {
  /** The status that every answer must have; 200 when not given. */
  readonly status?: number;
  readonly tolerated?: readonly number[];
}

const CLIENTS = 64;

/** A side that sends the requests in turn; the first one is tried before, and must be answered as wanted. */
export async function loopSide(
  name: string,
  { port, pid }: Child,
  parts: readonly RequestParts[],
  { status = 200, tolerated = [] }: LoopOptions = {},
): Promise<Side> {
  const [first] = parts;
  if (first === undefined) throw new Error(`${name}: no request`);
  let answer = await exchange(port, first);
  // A tolerated answer uses up what it was granted; the next one is the wanted one.
  if (tolerated.includes(answer.status)) answer = await exchange(port, first);
  if (answer.status !== status) {
    throw new Error(`${name}: ${first.method} ${first.path} answered ${answer.status}: ${answer.text.slice(0, 300)}`);
  }
  const requests = parts.map(requestBytes);
  return {
    name,
    measure: (seconds) => closedLoop({ port, pid, clients: CLIENTS, seconds, requests, status, tolerated }),
  };
}

/** A figure that compares the rates of two sides. */
export function rateFigure(
  given: Pick<Figure, "id" | "measure" | "limit"> & {
    readonly ours: string;
    readonly other: string;
    readonly otherName?: string;
  },
): Figure {
  const { ours, other, otherName = other, ...rest } = given;
  return {
    ...rest,
    unit: "/s",
    better: "higher",
    ours: (read) => read(ours, "rate"),
    other: (read) => read(other, "rate"),
    otherName,
  };
}
