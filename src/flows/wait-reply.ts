// A reader that waits for the end of a run, up to the non-streaming wait. @spec states-and-transitions
import { Refusal } from "../contract/errors.ts";
import { presentResponse } from "../core/turn/present.ts";
import type { Turn } from "../core/turn/turn.ts";
import { StoreError } from "../ports/store.ts";
import type { Reply } from "./exchange.ts";
import type { Gateway } from "./gateway.ts";
import type { Run, RunEnd } from "./run/run.ts";

/**
 * The settled response, or after the wait the running one (200, empty output, same id; the work goes on). Refuses with one of the
 * three provider failures when the turn was taken back (docs/wire.md, rule 1), 504 `request_timeout` when the wait ended and the
 * store could not be read.
 */
export async function waitReply(gateway: Gateway, run: Run): Promise<Reply> {
  const { clock, limits } = gateway.world;
  const { promise: waited, resolve: endWait } = Promise.withResolvers<null>();
  const stopTimer = clock.after(limits.non_streaming_wait_seconds * 1000, () => {
    // Whatever fails from now on is a failed response: the caller is about to hear of it.
    run.mayWithdraw = false;
    endWait(null);
  });
  try {
    const end = (await Promise.race([run.ended, waited])) ?? (await endIfGone(gateway, run));
    if (end.kind === "withdrawn") throw end.refusal;
    return present(end.turn);
  } finally {
    stopTimer();
  }
}

/** What a client hears a retrieve confirms: the turn as the store has it; one that is being taken back is waited for. */
async function endIfGone(gateway: Gateway, run: Run): Promise<RunEnd> {
  try {
    const turn = await gateway.world.store.readTurn({ caller: run.caller, responseId: run.head.id });
    return turn === null || run.isBeingWithdrawn ? run.ended : { kind: "settled", charge: null, turn };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new Refusal("request_timeout", `The wait ended and the response ${run.head.id} could not be read.`, {
      cause: error,
    });
  }
}

function present(turn: Turn): Reply {
  return { kind: "json", body: presentResponse(turn, turn.head.includesEncryptedContent) };
}
