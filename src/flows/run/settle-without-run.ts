// The settlement of a turn that has no run here, or whose run cannot end in any other way.
// @spec errors/failed-responses
import { NO_USAGE } from "../../contract/usage.ts";
import type { TurnEnd, TurnHead } from "../../core/turn/turn.ts";
import { nowSeconds } from "../../ports/clock.ts";
import type { Services } from "../../ports/services.ts";
import { failed, type Outcome } from "./settlement.ts";

type Head = Pick<TurnHead, "id" | "createdAt">;

/** Settles a turn as failed `run_failed`, without output. Resolves to null when the turn was no longer running. */
export function settleAsRunFailed(services: Services, head: Head, message: string): Promise<TurnEnd | null> {
  return settleEmpty(services, head, failed("run_failed", message, null));
}

/**
 * Settles as cancelled a turn that another node runs and does not stop. Only that node has the input and the output so
 * far, so nothing enters the history. Resolves to null when the turn was no longer running.
 */
export function settleAsCancelled(services: Services, head: Head): Promise<TurnEnd | null> {
  return settleEmpty(services, head, { status: "cancelled", incompleteReason: null, error: null, failure: null });
}

async function settleEmpty(services: Services, head: Head, outcome: Outcome): Promise<TurnEnd | null> {
  const end: TurnEnd = {
    ...outcome,
    completedAt: Math.max(head.createdAt, nowSeconds(services.clock)),
    output: [],
    usage: NO_USAGE,
    toolCallsDropped: 0,
    warnings: [],
    providerState: null,
  };
  const settled = { responseId: head.id, end, record: null, input: [], output: [], entersHistory: false };
  return (await services.store.settleTurn(settled)) === null ? null : end;
}
