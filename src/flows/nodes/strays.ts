// Responses that the store has as running on this node while nothing here runs them: the answer to the commit that
// began them was lost, or their end could not be stored. docs/reliability.md, F-07
import { MINUTE_MS } from "../../base/time.ts";
import type { ResponseHead } from "../../core/response/response.ts";
import type { Services } from "../../ports/services.ts";
import type { Runs } from "../run/runs.ts";
import { settleAsRunFailed } from "../run/settle-without-run.ts";

/** How long a response is remembered that may have begun. A commit that comes later still is settled as failed. */
const KEPT_MS = MINUTE_MS;
const LOST = "The end of this response could not be stored.";

/** The strays of this process. */
export interface Strays {
  /** Remembers a response whose begin has no answer. Its client gets an HTTP error, so it must not exist. */
  doubt(responseId: string): void;
  /** Withdraws the responses that were in doubt and have begun, and settles other strays as failed. */
  end(): Promise<void>;
}

/** Creates the strays of a process; alone on its store it has none. */
export function createStrays(services: Services, runs: Runs): Strays {
  const { nodes, store, clock, log } = services;
  if (nodes === null) return { doubt: () => {}, end: async () => {} };
  /** By response: until when it is remembered, the earliest first. */
  const doubted = new Map<string, number>();
  const fail = async (head: Pick<ResponseHead, "id" | "createdAt">) =>
    (await settleAsRunFailed(services, head, LOST)) !== null;
  return {
    doubt(responseId) {
      doubted.set(responseId, clock.monotonicMs() + KEPT_MS);
    },
    async end() {
      for (const head of await nodes.listRunning()) {
        if (runs.has(head.id)) continue;
        const isUnknown = doubted.has(head.id);
        // oxlint-disable-next-line no-await-in-loop -- rare
        const isEnded = isUnknown ? await store.withdrawResponse({ responseId: head.id }) : await fail(head);
        // Otherwise its run ended since it was listed.
        if (isEnded) log.warn("turn.stray", { response_id: head.id, withdrawn: isUnknown });
      }
      const nowMs = clock.monotonicMs();
      for (const [responseId, untilMs] of doubted) {
        if (untilMs > nowMs) break;
        doubted.delete(responseId);
      }
    },
  };
}
