// What a load balancer asks: is the process alive, does it want work.
import type { ServerResponse } from "node:http";

/** Answers `/healthz`: the process runs and its event loop turns. */
export function answerHealth(response: ServerResponse, requestId: string): void {
  sendStatus(response, requestId, 200, "ok");
}

/** Answers `/readyz`: 200 while new work is welcome, else 503. A rejection means no. */
export async function answerReadiness(
  response: ServerResponse,
  requestId: string,
  isReady: () => Promise<boolean>,
): Promise<void> {
  const ready = await isReady().catch(() => false);
  sendStatus(response, requestId, ready ? 200 : 503, ready ? "ready" : "not_ready");
}

function sendStatus(response: ServerResponse, requestId: string, status: number, word: string): void {
  const body = JSON.stringify({ status: word });
  response.writeHead(status, [
    "content-type",
    "application/json; charset=utf-8",
    "content-length",
    String(Buffer.byteLength(body)),
    "cache-control",
    "no-store",
    "x-request-id",
    requestId,
  ]);
  response.end(body);
}
