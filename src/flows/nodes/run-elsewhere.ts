// Turns that another node runs: stopped on request, and awaited. The nodes share only the store.
import { isTerminal } from "../../contract/statuses.ts";
import { pause } from "../../ports/clock.ts";
import type { Services } from "../../ports/services.ts";
import type { Caller } from "../../ports/store/histories.ts";
import { StoreError } from "../../ports/store/store.ts";
import type { RunEnd } from "../run/run.ts";
import { settleAsCancelled } from "../run/settle-without-run.ts";

/** Time for the node that runs a turn to stop it; after that it is paused or dead. */
const STOP_WAIT_MS = 4000;
const POLL_MS = 200;

/**
 * Stops a turn that another node runs, and resolves once it has ended or is not visible any more. When that node does
 * not answer, the turn is settled as cancelled without the output so far, which only that node has.
 */
export async function stopElsewhere(services: Services, query: TurnQuery): Promise<void> {
  const { nodes, store, clock } = services;
  if (nodes === null || !(await nodes.requestStop(query))) return;
  const untilMs = clock.monotonicMs() + STOP_WAIT_MS;
  if (await hasEnded(services, query, () => clock.monotonicMs() < untilMs)) return;
  const turn = await store.readTurn(query);
  if (turn !== null) await settleAsCancelled(services, turn.head);
}

/**
 * The end of a turn that another node runs, once the store has it. Rejects with a StoreError when the turn is not
 * visible any more, when the store cannot be read, and soon after `signal` is aborted.
 */
export async function followElsewhere(
  services: Pick<Services, "store" | "clock">,
  query: TurnQuery,
  signal: AbortSignal,
): Promise<RunEnd> {
  const turn = (await hasEnded(services, query, () => !signal.aborted)) ? await services.store.readTurn(query) : null;
  if (turn !== null) return { kind: "settled", turn, charge: null };
  throw new StoreError("unavailable", `${query.responseId} has no end yet.`);
}

interface TurnQuery {
  readonly caller: Caller;
  readonly responseId: string;
}

/** Whether the turn has ended, or is not visible any more; false when it has not while the caller may wait. */
async function hasEnded(
  { store, clock }: Pick<Services, "store" | "clock">,
  query: TurnQuery,
  mayWait: () => boolean,
): Promise<boolean> {
  while (mayWait()) {
    const status = await store.readStatus(query);
    if (status === null || isTerminal(status)) return true;
    await pause(clock, POLL_MS);
  }
  return false;
}
