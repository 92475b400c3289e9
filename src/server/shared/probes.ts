// Health probes for load balancers: is the process alive, does it accept work.
import { sendJson, type Unanswered } from "./send.ts";

/** Answers `/healthz`: the process runs and its event loop turns. */
export function answerHealth(probe: Unanswered): void {
  sendStatus(probe, 200, "ok");
}

/** Answers `/readyz`: 200 while new work is accepted, else 503. A rejection means no. */
export async function answerReadiness(probe: Unanswered, isReady: () => Promise<boolean>): Promise<void> {
  const ready = await isReady().catch(() => false);
  sendStatus(probe, ready ? 200 : 503, ready ? "ready" : "not_ready");
}

function sendStatus(probe: Unanswered, status: number, word: string): void {
  sendJson(probe, status, JSON.stringify({ status: word }));
}
