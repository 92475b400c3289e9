/**
 * Servers of P21 that reject: `/down` each request, `/failing` every second one, so that no circuit opens. `/failing` takes
 * one request at a time: a gateway sees its responses in this order.
 */
import type { ServerResponse } from "node:http";

/** Paths of the faulty servers; what follows is a path of a sound one. */
const FAULTS = ["failing", "down"] as const;
export type Fault = (typeof FAULTS)[number];

/** Where the numbers of their requests are read. */
export const COUNTS_PATH = "/counts";

/** Between two responses of `/failing`. */
const GAP_MS = 1;
const REJECTION = Buffer.from(JSON.stringify({ error: { message: "down", type: "server_error" } }));

const counts: Record<Fault, number> = { failing: 0, down: 0 };
let last: Promise<void> = Promise.resolve();

/** Takes a request of the counts or of a faulty server. `respond` answers as a sound one at the rest of the path. */
export function takeFault(path: string, response: ServerResponse, respond: (path: string) => void): boolean {
  if (path === COUNTS_PATH) {
    response.end(JSON.stringify(counts));
    return true;
  }
  const fault = FAULTS.find((name) => path.startsWith(`/${name}/`));
  if (fault === undefined) return false;
  const rest = path.slice(fault.length + 1);
  if (fault === "down") {
    counts.down++;
    reject(response);
  } else void takeTurn(response, rest, respond);
  return true;
}

async function takeTurn(response: ServerResponse, rest: string, respond: (path: string) => void): Promise<void> {
  const before = last;
  const { promise, resolve } = Promise.withResolvers<void>();
  last = promise;
  await before;
  response.on("close", () => setTimeout(resolve, GAP_MS));
  if (counts.failing++ % 2 === 0) reject(response);
  else respond(rest);
}

function reject(response: ServerResponse): void {
  response.writeHead(503, { "content-type": "application/json", "content-length": REJECTION.length });
  response.end(REJECTION);
}
