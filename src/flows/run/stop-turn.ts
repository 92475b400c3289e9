// Stops a turn of a caller, wherever it stands. @spec states-and-transitions
import { isTerminal } from "../../contract/statuses.ts";
import type { Turn } from "../../core/turn/turn.ts";
import type { Caller } from "../../ports/histories.ts";
import type { Gateway } from "../gateway.ts";

/**
 * The settled turn of a visible response: cancelled when it was running, unchanged when it had finished. Null for every cause of the
 * uniform 404, also when the turn was taken back while it was being stopped.
 */
export async function stopTurn(gateway: Gateway, caller: Caller, responseId: string): Promise<Turn | null> {
  const { store } = gateway.world;
  const turn = await store.readTurn({ caller, responseId });
  if (turn === null || isTerminal(turn.status)) return turn;
  const run = gateway.runs.find(responseId);
  if (run === undefined) {
    // It ended between the two look-ups.
    return store.readTurn({ caller, responseId });
  }
  run.stop("cancelled");
  const end = await run.ended;
  return end.kind === "settled" ? end.turn : null;
}
