// Responses that another node runs: stopped on request, and awaited. The nodes share only the store.
import { isTerminal } from "../../contract/statuses.ts";
import { pause } from "../../ports/clock.ts";
import type { Services } from "../../ports/services.ts";
import type { Caller } from "../../ports/store/histories.ts";
import { StoreError } from "../../ports/store/store.ts";
import type { RunEnd } from "../run/run.ts";
import { settleAsCancelled } from "../run/settle-without-run.ts";

/** Time for the node that runs a response to stop it; after that it is paused or dead. */
const STOP_WAIT_MS = 4000;
const POLL_MS = 200;

/**
 * Stops a response that another node runs, and resolves once it has ended or is not visible any more. When that node
 * does not reply, the response is settled as cancelled without the output so far, which only that node has.
 */
export async function stopElsewhere(services: Services, query: VisibleQuery): Promise<void> {
  const { nodes, store, clock } = services;
  if (nodes === null || !(await nodes.requestStop(query))) return;
  const untilMs = clock.monotonicMs() + STOP_WAIT_MS;
  if (await hasEnded(services, query, () => clock.monotonicMs() < untilMs)) return;
  const response = await store.readResponse(query);
  if (response !== null) await settleAsCancelled(services, response.head);
}

/**
 * The end of a response that another node runs, once the store has it. Rejects with a StoreError when the response is
 * not visible any more, when the store cannot be read, and soon after `signal` is aborted.
 */
export async function followElsewhere(
  services: Pick<Services, "store" | "clock">,
  query: VisibleQuery,
  signal: AbortSignal,
): Promise<RunEnd> {
  const response = (await hasEnded(services, query, () => !signal.aborted))
    ? await services.store.readResponse(query)
    : null;
  if (response !== null) return { kind: "settled", response, charge: null };
  throw new StoreError("unavailable", `${query.responseId} has no end yet.`);
}

interface VisibleQuery {
  readonly caller: Caller;
  readonly responseId: string;
}

/** Whether the response has ended, or is not visible any more; false when it has not while the caller may wait. */
async function hasEnded(
  { store, clock }: Pick<Services, "store" | "clock">,
  query: VisibleQuery,
  mayWait: () => boolean,
): Promise<boolean> {
  while (mayWait()) {
    const status = await store.readStatus(query);
    if (status === null || isTerminal(status)) return true;
    await pause(clock, POLL_MS);
  }
  return false;
}
