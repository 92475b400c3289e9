// Turns that another node runs: stopped on request, and awaited. The nodes share only the store.
import { isTerminal, type RunningStatus } from "../../contract/statuses.ts";
import type { Turn } from "../../core/turn/turn.ts";
import type { Services } from "../../ports/services.ts";
import type { Caller } from "../../ports/store/histories.ts";
import { StoreError } from "../../ports/store/store.ts";
import { Run } from "../run/run.ts";
import { settleAsCancelled } from "../run/settle-without-run.ts";

/** Time for the node that runs a turn to stop it; after that it is paused or dead. */
const STOP_WAIT_MS = 4000;
const POLL_MS = 200;

/**
 * Stops a turn that another node runs. Resolves to the settled turn as stopTurn does. When that node does not answer, the
 * turn is settled as cancelled without the output so far, which only that node has.
 */
export async function stopElsewhere(services: Services, caller: Caller, { head }: Turn): Promise<Turn | null> {
  const { nodes, store } = services;
  const query = { caller, responseId: head.id };
  if (nodes !== null && (await nodes.requestStop(query))) {
    const ended = await waitForEnd(services, query, STOP_WAIT_MS);
    if (ended !== "running") return ended;
    await settleAsCancelled(services, head);
  }
  return store.readTurn(query);
}

/** A run that ends when the store has the end of a turn that another node runs; it publishes no events. */
export function followElsewhere(services: Services, caller: Caller, turn: Turn, limitMs: number): Run {
  const { head } = turn;
  const run = new Run({
    caller,
    head,
    status: turn.status as RunningStatus,
    isDisclosed: true,
    isStreamed: false,
    isLong: false,
  });
  const follow = async (): Promise<void> => {
    try {
      const ended = await waitForEnd(services, { caller, responseId: head.id }, limitMs);
      if (ended !== null && ended !== "running") run.end({ kind: "settled", turn: ended, charge: null });
      else run.fail(new StoreError("unavailable", `${head.id} has no end yet.`));
    } catch (error) {
      run.fail(error);
    }
  };
  void follow();
  return run;
}

/** The ended turn; null when it is not visible any more, `running` when it has not ended in time. */
async function waitForEnd(
  { store, clock }: Services,
  query: { readonly caller: Caller; readonly responseId: string },
  limitMs: number,
): Promise<Turn | null | "running"> {
  const startedMs = clock.monotonicMs();
  while (clock.monotonicMs() - startedMs < limitMs) {
    const turn = await store.readTurn(query);
    if (turn === null || isTerminal(turn.status)) return turn;
    await new Promise<void>((resolve) => clock.after(POLL_MS, resolve));
  }
  return "running";
}
