// Responses that the store has as running on this node while nothing here runs them: the reply to the commit that
// began them was lost, or their end could not be stored. docs/reliability.md, F-07
import { MINUTE_MS } from "../../base/time.ts";
import type { ResponseHead } from "../../core/response/response.ts";
import type { Services } from "../../ports/services.ts";
import type { Runs } from "../run/runs.ts";
import { settleAsRunFailed } from "../run/settle-without-run.ts";

/**
 * How long a response is remembered whose begin had no reply. If its commit arrives even later, or after the wait of its
 * request, it is settled as failed instead of withdrawn.
 */
const KEPT_MS = MINUTE_MS;
const LOST = "The end of this response could not be stored.";

/** The lost responses of this process. */
export interface LostResponses {
  /** Remembers a response whose begin has no reply. Its client gets an HTTP error, so it must not exist. */
  noteUncertainBegin(responseId: string): void;
  /** Withdraws the responses that had an uncertain begin and have begun, and settles other lost ones as failed. */
  end(): Promise<void>;
}

/** Creates the keeper of the lost responses of a process; alone on its store it has none. */
export function createLostResponses(services: Services, runs: Runs): LostResponses {
  const { nodes, store, clock, limits, log } = services;
  if (nodes === null) return { noteUncertainBegin: () => {}, end: async () => {} };
  /** After that a retry may have been told of the response. */
  const waitMs = Math.min(limits.non_streaming_wait_seconds, limits.stream_ceiling_seconds) * 1000;
  /** By response: until when it is remembered, the earliest first. */
  const uncertain = new Map<string, number>();
  const fail = async (head: Pick<ResponseHead, "id" | "createdAt">) =>
    (await settleAsRunFailed(services, head, LOST)) !== null;
  return {
    noteUncertainBegin(responseId) {
      uncertain.set(responseId, clock.monotonicMs() + KEPT_MS);
    },
    async end() {
      for (const head of await nodes.listRunning()) {
        if (runs.has(head.id)) continue;
        // oxlint-disable-next-line no-await-in-loop -- rare
        const isWithdrawn = uncertain.has(head.id) && (await store.withdrawResponse({ responseId: head.id, waitMs }));
        // Otherwise its run ended since it was listed.
        // oxlint-disable-next-line no-await-in-loop -- as above
        if (isWithdrawn || (await fail(head))) log.warn("turn.stray", { response_id: head.id, withdrawn: isWithdrawn });
      }
      const nowMs = clock.monotonicMs();
      for (const [responseId, untilMs] of uncertain) {
        if (untilMs > nowMs) break;
        uncertain.delete(responseId);
      }
    },
  };
}
