// The settlement of a response that has no run here, or whose run cannot end in any other way.
// @spec errors/failed-responses
import { NO_USAGE } from "../../contract/usage.ts";
import type { ResponseEnd, ResponseHead } from "../../core/response/response.ts";
import { nowSeconds } from "../../ports/clock.ts";
import type { Services } from "../../ports/services.ts";
import { failed, type Outcome } from "./settlement.ts";

type Head = Pick<ResponseHead, "id" | "createdAt">;

/**
 * Settles a response as failed `run_failed`, without output. Resolves to null when the response was no longer running.
 */
export function settleAsRunFailed(services: Services, head: Head, message: string): Promise<ResponseEnd | null> {
  return settleEmpty(services, head, failed("run_failed", message, null));
}

/**
 * Settles as cancelled a response that another node runs and does not stop. Only that node has the input and the output
 * so far, so nothing enters the history. Resolves to null when the response was no longer running.
 */
export function settleAsCancelled(services: Services, head: Head): Promise<ResponseEnd | null> {
  return settleEmpty(services, head, { status: "cancelled", incompleteReason: null, error: null, failure: null });
}

async function settleEmpty(services: Services, head: Head, outcome: Outcome): Promise<ResponseEnd | null> {
  const end: ResponseEnd = {
    ...outcome,
    completedAt: Math.max(head.createdAt, nowSeconds(services.clock)),
    output: [],
    usage: NO_USAGE,
    toolCallsDropped: 0,
    warnings: [],
    providerState: null,
  };
  const settled = { responseId: head.id, end, record: null, input: [], output: [], entersHistory: false };
  return (await services.store.settleResponse(settled)) === null ? null : end;
}
