// Turns that another node runs: stopped on request, and awaited. The nodes share only the store.
import { isTerminal } from "../../contract/statuses.ts";
import type { Turn } from "../../core/turn/turn.ts";
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
 * Stops a turn that another node runs. Resolves to the settled turn as stopTurn does. When that node does not answer,
 * the turn is settled as cancelled without the output so far, which only that node has.
 */
export async function stopElsewhere(services: Services, caller: Caller, { head }: Turn): Promise<Turn | null> {
  const { nodes, store, clock } = services;
  const query = { caller, responseId: head.id };
  if (nodes !== null && (await nodes.requestStop(query))) {
    const untilMs = clock.monotonicMs() + STOP_WAIT_MS;
    const ended = await waitForEnd(services, query, () => clock.monotonicMs() < untilMs);
    if (ended !== "running") return ended;
    await settleAsCancelled(services, head);
  }
  return store.readTurn(query);
}

/**
 * The end of a turn that another node runs, once the store has it. Rejects with a StoreError when the turn is not
 * visible any more, when the store cannot be read, and soon after `signal` is aborted.
 */
export async function followElsewhere(services: Services, query: TurnQuery, signal: AbortSignal): Promise<RunEnd> {
  const ended = await waitForEnd(services, query, () => !signal.aborted);
  if (ended !== null && ended !== "running") return { kind: "settled", turn: ended, charge: null };
  throw new StoreError("unavailable", `${query.responseId} has no end yet.`);
}

interface TurnQuery {
  readonly caller: Caller;
  readonly responseId: string;
}

/** The ended turn; null when it is not visible any more, `running` when it has not ended while it may wait. */
async function waitForEnd(
  { store, clock }: Services,
  query: TurnQuery,
  mayWait: () => boolean,
): Promise<Turn | null | "running"> {
  while (mayWait()) {
    const turn = await store.readTurn(query);
    if (turn === null || isTerminal(turn.status)) return turn;
    await pause(clock, POLL_MS);
  }
  return "running";
}
