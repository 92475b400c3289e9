// Health probes for load balancers: is the process alive, does it accept work.
import type { ServerResponse } from "node:http";
import { sendJson } from "./send.ts";

interface ProbeRequest {
  readonly response: ServerResponse;
  readonly requestId: string;
}

/** Answers `/healthz`: the process runs and its event loop turns. */
export function answerHealth(probe: ProbeRequest): void {
  sendStatus(probe, 200, "ok");
}

/** Answers `/readyz`: 200 while new work is accepted, else 503. A rejection means no. */
export async function answerReadiness(probe: ProbeRequest, isReady: () => Promise<boolean>): Promise<void> {
  const ready = await isReady().catch(() => false);
  sendStatus(probe, ready ? 200 : 503, ready ? "ready" : "not_ready");
}

function sendStatus(probe: ProbeRequest, status: number, word: string): void {
  sendJson(probe, status, JSON.stringify({ status: word }));
}
