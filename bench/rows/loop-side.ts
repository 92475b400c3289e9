/** Sides with a closed loop of small requests: reads and rejections. */
import { closedLoop } from "../load/closed-loop.ts";
import { exchange } from "../load/exchange.ts";
import { requestBytes, type RequestParts } from "../load/request.ts";
import type { Child } from "../process/child.ts";
import type { Figure, Side } from "../row.ts";

export interface LoopOptions {
  /** The expected status; default 200. */
  readonly status?: number;
  readonly tolerated?: readonly number[];
}

const CLIENTS = 64;

/** A side that sends the requests in turn, after checking the response to the first one. */
export async function loopSide(
  name: string,
  { port, pid }: Child,
  parts: readonly RequestParts[],
  { status = 200, tolerated = [] }: LoopOptions = {},
): Promise<Side> {
  const [first] = parts;
  if (first === undefined) throw new Error(`${name}: no request`);
  let response = await exchange(port, first);
  // A tolerated response uses up the allowance; the next one must have the expected status.
  if (tolerated.includes(response.status)) response = await exchange(port, first);
  if (response.status !== status) {
    throw new Error(
      `${name}: ${first.method} ${first.path} returned ${response.status}: ${response.text.slice(0, 300)}`,
    );
  }
  const requests = parts.map(requestBytes);
  return {
    name,
    measure: (seconds) => closedLoop({ port, pid, clients: CLIENTS, seconds, requests, status, tolerated }),
  };
}

/** A figure comparing the rates of two sides. */
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
