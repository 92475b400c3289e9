// Stops a turn of a caller, queued or running. @spec states-and-transitions
import { isTerminal } from "../../contract/statuses.ts";
import type { Turn } from "../../core/turn/turn.ts";
import type { Caller } from "../../ports/store/histories.ts";
import { stopElsewhere } from "../nodes/run-elsewhere.ts";
import type { Gateway } from "../gateway.ts";

/**
 * Resolves to the settled turn of a visible response: cancelled when it was running, unchanged when it had finished.
 * Null for every cause of the uniform 404, and when the turn was withdrawn meanwhile. Rejects with a StoreError
 * (`unavailable`) when the store is late with its end.
 */
export async function stopTurn(gateway: Gateway, caller: Caller, responseId: string): Promise<Turn | null> {
  const { store } = gateway.services;
  const turn = await store.readTurn({ caller, responseId });
  if (turn === null || isTerminal(turn.status)) return turn;
  const run = gateway.runs.find(responseId);
  if (run === undefined) {
    // It ended between the two reads, or another node runs it.
    const latest = await store.readTurn({ caller, responseId });
    return latest === null || isTerminal(latest.status) ? latest : stopElsewhere(gateway.services, caller, latest);
  }
  run.stop("cancelled");
  const end = await run.endedInTime();
  return end.kind === "settled" ? end.turn : null;
}
